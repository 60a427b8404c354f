# Two commands: `make demo` and `make test`. Everything lives in .venv/ and var/.
PYTHON ?= python3
PORT ?= 8000
V := .venv/bin
export PYTHONPATH := .:agent/src

.PHONY: demo dev run worker test test-fast test-deep test-browser check fix golden bench accuracy docs clean

demo: ## from a fresh machine to the served site
	@$(PYTHON) scripts/environment.py web torch
	@exec $(V)/python scripts/demo.py --port $(PORT)

dev: ## the environment, the database, the catalog
	@$(PYTHON) scripts/environment.py web torch dev
	@$(V)/python manage.py migrate -v0
	@$(V)/python manage.py load_seed_catalog

run: ## the site alone, reloading
	@DEBUG=1 $(V)/python manage.py runserver $(PORT)

worker: ## one Celery worker; CELERY_BROKER_URL names the Redis
	@$(V)/celery -A config worker -l info --concurrency 1

test: ## everything: checks, then all tests in a real browser, worker and database
	@$(PYTHON) scripts/environment.py web torch dev
	@sh scripts/browser.sh
	@$(MAKE) --no-print-directory check
	@$(V)/python -m pytest -n 2 --dist loadfile

test-fast: ## the engine alone, in seconds, no database
	@$(V)/python -m pytest tests/engine tests/anchors tests/cases tests/oracles tests/properties -n 2 -p no:django -W "ignore::pytest.PytestConfigWarning" -q

test-deep: ## ten times as many drawn scenarios, and 200 drawn workbooks
	@TCO_CASES=100000 TCO_WORKBOOKS=200 $(V)/python -m pytest tests/properties/test_generated_scenarios.py tests/planner/reports/test_drawn_workbooks.py -n 2 -q

test-browser:
	@$(V)/python -m pytest tests/browser

check: ## style, templates, types, import rules, migrations, API document
	@$(PYTHON) scripts/environment.py web torch dev
	$(V)/ruff check .
	$(V)/ruff format --check .
	$(V)/djade --check $$(git ls-files 'templates/*.html')
	$(V)/mypy
	$(V)/lint-imports
	$(V)/python manage.py makemigrations --check --dry-run
	$(V)/python manage.py spectacular --validate --fail-on-warn --file /dev/null

fix:
	$(V)/ruff check --fix .
	$(V)/ruff format .
	$(V)/djade $$(git ls-files 'templates/*.html')

golden: ## which numbers moved, old against new; ACCEPT=1 writes them
	@$(V)/python -m tests.golden.compare $(if $(ACCEPT),--accept)

bench: ## ratios in one run; never a gate
	@$(PYTHON) scripts/environment.py web torch dev
	@for script in bench/*.py; do echo "== $$script"; $(V)/python $$script || exit 1; done

accuracy: ## scores the model on the rows of DIR and publishes the figures
	@$(V)/python -m cli.main accuracy $(DIR) --leave-out device --leave-out model --leave-out source --out tco/evidence/tables/accuracy.json
	@$(V)/python scripts/reference.py

docs: ## the generated reference pages
	@$(V)/python scripts/reference.py

clean: ## remove this machine's data (not the environment)
	@$(V)/python -c "from config.local_services import stop_postgres as s; s(); s('test')"
	rm -rf var

"""Files for running on more machines: they name commands, variables and files that exist."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from config.celery import app

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
SETTINGS = (ROOT / "docs" / "reference" / "settings.md").read_text(encoding="utf-8")
KNOWN = {*re.findall(r"^\| `([A-Z_]+)`", SETTINGS, re.MULTILINE), "DJANGO_SETTINGS_MODULE"}


def compose():
    """The Compose file."""
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))


def manifests():
    """The Kubernetes manifests by kind and name."""
    text = (DEPLOY / "kubernetes" / "tco.yaml").read_text(encoding="utf-8")
    return {(one["kind"], one["metadata"]["name"]): one for one in yaml.safe_load_all(text)}


def test_compose_sets_variables_that_exist_and_starts_plain_workers():
    """Site, worker and migration share one image and one environment."""
    services = compose()["services"]
    assert set(services) == {"database", "queue", "migrate", "web", "worker"}
    for name in ("migrate", "web", "worker"):
        assert set(services[name]["environment"]) <= KNOWN
        assert (DEPLOY / services[name]["build"]["context"]).resolve() == ROOT
        assert (ROOT / services[name]["build"]["dockerfile"]).exists()
    assert services["worker"]["command"][:4] == ["celery", "-A", "config", "worker"]
    assert services["migrate"]["restart"] == "no"


def test_kubernetes_runs_the_same_commands():
    """Web, worker and migration; their settings exist."""
    found = manifests()
    assert set(found[("ConfigMap", "tco")]["data"]) <= KNOWN
    worker = found[("Deployment", "tco-worker")]["spec"]["template"]["spec"]["containers"][0]
    assert worker["command"] == compose()["services"]["worker"]["command"]
    web = found[("Deployment", "tco-web")]["spec"]["template"]["spec"]["containers"][0]
    assert web["command"] == compose()["services"]["web"]["command"]
    migrate = found[("Job", "tco-migrate")]["spec"]["template"]["spec"]["containers"][0]
    assert migrate["command"] == compose()["services"]["migrate"]["command"]
    assert web["readinessProbe"]["httpGet"]["path"] == "/healthz"


def test_the_image_copies_what_exists():
    """Each file that the build names."""
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    for name in re.findall(r"requirements/[\w.]+", text):
        assert (ROOT / name).exists(), name


def test_workers_know_every_task():
    """A package with tasks that the application does not name would be found by luck alone."""
    named = {
        package
        for packages in re.findall(r"autodiscover_tasks\(\s*\[(.*?)\]", CELERY, re.DOTALL)
        for package in re.findall(r'"([\w.]+)"', packages)
    }
    there = {
        ".".join(path.relative_to(ROOT).parts[:-1])
        for room in ("planner", "hardware_catalog")
        for path in (ROOT / room).rglob("tasks.py")
    }
    assert named == there
    assert app.main == "tco"


CELERY = (ROOT / "config" / "celery.py").read_text(encoding="utf-8")

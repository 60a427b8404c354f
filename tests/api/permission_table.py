"""Who gets which answer where: each route and method, and each kind of caller.

The objects in the addresses belong to the organisation of `architect`, `finance`, `viewer` and all
tokens; `other` is an architect of another organisation. `@shared` names an entry of the shared
catalog, `@picked` a comparison of a scenario of the organisation. `in` is a redirect to the
sign-in page. Pages know no tokens: whoever shows one there is a stranger.

A method that has no row here is answered to the architect with 405.
"""

from __future__ import annotations

TABLE = """
# columns: stranger architect finance viewer other, then tokens: upload read write revoked expired

# open to everybody
GET    healthz                             200  200  200  200  200  200  200  200  200  200
GET    schema                              200  200  200  200  200  200  200  200  200  200
GET    swagger                             200  200  200  200  200  200  200  200  200  200
GET    planner:front                       200  200  200  200  200  200  200  200  200  200
GET    planner:reconcile                   200  200  200  200  200  200  200  200  200  200
GET    planner:reconcile_example           200  200  200  200  200  200  200  200  200  200
GET    hardware_catalog:accuracy           200  200  200  200  200  200  200  200  200  200
GET    hardware_catalog:agent_zipapp       200  200  200  200  200  200  200  200  200  200
GET    hardware_catalog:agent_checksum     200  200  200  200  200  200  200  200  200  200
GET    accounts:sign_in                    200  302  302  302  302  200  200  200  200  200
POST   accounts:sign_in                    302  302  302  302  302  302  302  302  302  302
POST   accounts:sign_out                   302  302  302  302  302  302  302  302  302  302
GET    accounts:sign_in_link               200  200  200  200  200  200  200  200  200  200
POST   accounts:sign_in_link               302  302  302  302  302  302  302  302  302  302

# tokens
GET    accounts:tokens                      in  200  200  200  200   in   in   in   in   in
POST   accounts:token_new                   in  201  403  403  201   in   in   in   in   in
POST   accounts:token_revoke                in  302  403  403  404   in   in   in   in   in

# catalog pages
GET    hardware_catalog:catalog             in  200  200  200  200   in   in   in   in   in
GET    hardware_catalog:kind                in  200  200  200  200   in   in   in   in   in
GET    hardware_catalog:support_matrix      in  200  200  200  200   in   in   in   in   in
GET    hardware_catalog:kind_csv            in  200  200  200  200   in   in   in   in   in
GET    hardware_catalog:entry               in  200  200  200  404   in   in   in   in   in
GET    hardware_catalog:entry@shared        in  200  200  200  200   in   in   in   in   in
GET    hardware_catalog:entry_new           in  200  403  403  200   in   in   in   in   in
POST   hardware_catalog:entry_new           in  302  403  403  302   in   in   in   in   in
GET    hardware_catalog:model_import        in  200  403  403  200   in   in   in   in   in
POST   hardware_catalog:model_import        in  302  403  403  302   in   in   in   in   in
GET    hardware_catalog:entry_edit          in  200  403  403  404   in   in   in   in   in
POST   hardware_catalog:entry_edit          in  302  403  403  404   in   in   in   in   in
GET    hardware_catalog:entry_edit@shared   in  200  403  403  200   in   in   in   in   in
POST   hardware_catalog:entry_edit@shared   in  302  403  403  302   in   in   in   in   in
GET    hardware_catalog:entry_price         in  200  403  403  404   in   in   in   in   in
POST   hardware_catalog:entry_price         in  302  403  403  404   in   in   in   in   in
POST   hardware_catalog:entry_price@shared   in  302  403  403  302   in   in   in   in   in
POST   hardware_catalog:entry_archive       in  302  403  403  404   in   in   in   in   in
POST   hardware_catalog:entry_archive@shared   in  403  403  403  403   in   in   in   in   in
GET    hardware_catalog:entry_confirm       in  200  403  403  404   in   in   in   in   in
POST   hardware_catalog:entry_confirm       in  302  403  403  404   in   in   in   in   in

# measurement pages
GET    hardware_catalog:run_list            in  200  200  200  200   in   in   in   in   in
GET    hardware_catalog:run_detail          in  200  200  200  404   in   in   in   in   in
GET    hardware_catalog:run_document        in  200  200  200  404   in   in   in   in   in
GET    hardware_catalog:measured_device     in  200  200  200  404   in   in   in   in   in

# price book
GET    hardware_catalog:price_book          in  200  200  200  200   in   in   in   in   in
GET    hardware_catalog:price_book_new      in  200  403  403  200   in   in   in   in   in
POST   hardware_catalog:price_book_new      in  302  403  403  302   in   in   in   in   in
POST   hardware_catalog:price_book_table    in  302  403  403  302   in   in   in   in   in
GET    hardware_catalog:price_book_csv      in  200  200  200  200   in   in   in   in   in
POST   hardware_catalog:price_book_withdraw  in  302  403  403  404   in   in   in   in   in

# planner pages
GET    planner:home                         in  200  200  200  200   in   in   in   in   in
GET    planner:scenario_list                in  200  200  200  200   in   in   in   in   in
GET    planner:scenario_new                 in  200  403  403  200   in   in   in   in   in
POST   planner:scenario_new                 in  302  403  403  302   in   in   in   in   in
GET    planner:scenario_import              in  200  403  403  200   in   in   in   in   in
POST   planner:scenario_import              in  302  403  403  302   in   in   in   in   in
POST   planner:scenario_preview             in  200  403  403  200   in   in   in   in   in
GET    planner:scenario_detail              in  200  200  200  404   in   in   in   in   in
GET    planner:scenario_edit                in  200  403  403  404   in   in   in   in   in
POST   planner:scenario_edit                in  302  403  403  404   in   in   in   in   in
GET    planner:scenario_file                in  200  200  200  404   in   in   in   in   in
POST   planner:scenario_file                in  302  403  403  404   in   in   in   in   in
GET    planner:scenario_export              in  200  200  200  404   in   in   in   in   in
GET    planner:scenario_halls               in  200  200  200  404   in   in   in   in   in
GET    planner:scenario_hall_file           in  404  404  404  404   in   in   in   in   in
POST   planner:scenario_hall_import         in  422  403  403  404   in   in   in   in   in
GET    planner:scenario_uncertainty         in  200  200  200  404   in   in   in   in   in
GET    planner:goal_seek                    in  200  200  200  404   in   in   in   in   in
GET    planner:scenario_optimise            in  200  200  200  404   in   in   in   in   in
POST   planner:scenario_optimise_cancel     in  302  403  403  404   in   in   in   in   in
POST   planner:scenario_optimise_again      in  302  403  403  404   in   in   in   in   in
GET    planner:scenario_front               in  200  200  200  404   in   in   in   in   in
POST   planner:scenario_front_cancel        in  302  403  403  404   in   in   in   in   in
POST   planner:scenario_front_again         in  302  403  403  404   in   in   in   in   in
GET    planner:scenario_why_not             in  200  200  200  404   in   in   in   in   in
POST   planner:scenario_why_not_cancel      in  302  403  403  404   in   in   in   in   in
POST   planner:scenario_why_not_again       in  302  403  403  404   in   in   in   in   in
POST   planner:scenario_mix_open            in  404  403  403  404   in   in   in   in   in
GET    planner:scenario_firmness            in  200  200  200  404   in   in   in   in   in
POST   planner:firmness_cancel              in  302  403  403  404   in   in   in   in   in
POST   planner:firmness_again               in  302  403  403  404   in   in   in   in   in
GET    planner:sweeps                       in  200  200  200  404   in   in   in   in   in
POST   planner:sweeps                       in  302  403  403  404   in   in   in   in   in
GET    planner:sweep                        in  200  200  200  404   in   in   in   in   in
POST   planner:sweep_cancel                 in  302  403  403  404   in   in   in   in   in
POST   planner:sweep_again                  in  302  403  403  404   in   in   in   in   in
POST   planner:sweep_open                   in  302  403  403  404   in   in   in   in   in
GET    planner:sweep_file                   in  200  200  200  404   in   in   in   in   in
POST   planner:goal_seek_cancel             in  302  403  403  404   in   in   in   in   in
POST   planner:goal_seek_again              in  302  403  403  404   in   in   in   in   in
POST   planner:scenario_uncertainty_cancel   in  302  403  403  404   in   in   in   in   in
POST   planner:scenario_uncertainty_again   in  302  403  403  404   in   in   in   in   in
GET    planner:scenario_decisions           in  200  200  200  404   in   in   in   in   in
POST   planner:scenario_decisions           in  302  403  403  404   in   in   in   in   in
GET    planner:scenario_actuals             in  200  200  200  404   in   in   in   in   in
POST   planner:scenario_actuals             in  302  403  403  404   in   in   in   in   in
GET    planner:scenario_history             in  200  200  200  404   in   in   in   in   in
POST   planner:reconcile_open               in  302  403  403  302   in   in   in   in   in
POST   planner:scenario_duplicate           in  302  403  403  404   in   in   in   in   in
POST   planner:scenario_archive             in  302  403  403  404   in   in   in   in   in
POST   planner:recalculate                  in  302  403  403  404   in   in   in   in   in
GET    planner:revision_detail              in  200  200  200  404   in   in   in   in   in
POST   planner:scenario_restore             in  302  403  403  404   in   in   in   in   in
GET    planner:explain                      in  200  200  200  404   in   in   in   in   in
GET    planner:compare                      in  200  200  200  200   in   in   in   in   in
GET    planner:compare@picked               in  200  200  200  404   in   in   in   in   in
GET    planner:quotes                       in  200  200  200  200   in   in   in   in   in
POST   planner:quotes                       in  200  200  200  200   in   in   in   in   in
GET    planner:workbook                     in  200  200  200  404   in   in   in   in   in
GET    planner:ledger_csv                   in  200  200  200  404   in   in   in   in   in
GET    planner:decisions_csv                in  200  200  200  404   in   in   in   in   in
GET    planner:performance_csv              in  200  200  200  404   in   in   in   in   in

# API: catalog
GET    api_catalog                         401  200  200  200  200  403  200  200  403  403
POST   api_catalog                         401  201  403  403  201  403  403  201  403  403
POST   api_catalog_model_import            401  201  403  403  201  403  403  201  403  403
GET    api_catalog_entry                   401  200  200  200  404  403  200  200  403  403
GET    api_catalog_entry@shared            401  200  200  200  200  403  200  200  403  403
PATCH  api_catalog_entry                   401  200  403  403  404  403  403  200  403  403
PATCH  api_catalog_entry@shared            401  200  403  403  200  403  403  200  403  403
GET    api_catalog_history                 401  200  200  200  404  403  200  200  403  403
GET    api_catalog_history@shared          401  200  200  200  200  403  200  200  403  403
GET    api_price_book                      401  200  200  200  200  403  200  200  403  403
POST   api_price_book                      401  201  403  403  201  403  403  201  403  403
POST   api_price_book_table                401  201  403  403  201  403  403  201  403  403
DELETE api_price_book_entry                401  200  403  403  404  403  403  200  403  403

# API: benchmark runs
GET    api_benchmark_runs                  401  200  200  200  200  403  200  200  403  403
POST   api_benchmark_runs                  401  201  403  403  201  201  403  201  403  403
GET    api_benchmark_run                   401  200  200  200  404  403  200  200  403  403
GET    api_throughput_figures              401  200  200  200  200  403  200  200  403  403

# API: scenarios and projections
GET    api_scenarios                       401  200  200  200  200  403  200  200  403  403
POST   api_scenarios                       401  201  403  403  201  403  403  201  403  403
GET    api_scenario                        401  200  200  200  404  403  200  200  403  403
PUT    api_scenario                        401  200  403  403  404  403  403  200  403  403
DELETE api_scenario                        401  204  403  403  404  403  403  204  403  403
POST   api_scenario_duplicate              401  201  403  403  404  403  403  201  403  403
GET    api_scenario_uncertainty            401  200  200  200  404  403  200  200  403  403
GET    api_scenario_goal_seek              401  400  400  400  404  403  400  400  403  403
POST   api_scenario_uncertainty            401  202  403  403  404  403  403  202  403  403
DELETE api_scenario_uncertainty            401  204  403  403  404  403  403  204  403  403
GET    api_scenario_inventory              401  422  422  422  404  403  422  422  403  403
POST   api_scenario_inventory              401  422  403  403  404  403  403  422  403  403
GET    api_sweeps                          401  200  200  200  404  403  200  200  403  403
POST   api_sweeps                          401  200  403  403  404  403  403  200  403  403
GET    api_sweep                           401  200  200  200  404  403  200  200  403  403
DELETE api_sweep                           401  200  403  403  404  403  403  200  403  403
GET    api_scenario_firmness               401  200  200  200  404  403  200  200  403  403
GET    api_scenario_optimise               401  200  200  200  404  403  200  200  403  403
DELETE api_scenario_optimise               401  204  403  403  404  403  403  204  403  403
GET    api_scenario_trade_offs             401  200  200  200  404  403  200  200  403  403
DELETE api_scenario_trade_offs             401  204  403  403  404  403  403  204  403  403
GET    api_scenario_why_not                401  400  400  400  404  403  400  400  403  403
GET    api_scenario_decisions              401  200  200  200  404  403  200  200  403  403
POST   api_scenario_decisions              401  201  403  403  404  403  403  201  403  403
GET    api_scenario_actuals                401  200  200  200  404  403  200  200  403  403
POST   api_scenario_actuals                401  201  403  403  404  403  403  201  403  403
GET    api_revisions                       401  200  200  200  404  403  200  200  403  403
GET    api_revision                        401  200  200  200  404  403  200  200  403  403
POST   api_scenario_projection             401  200  403  403  404  403  403  200  403  403
GET    api_scenario_schema                 401  200  200  200  200  403  200  200  403  403
POST   api_quotes                          401  200  403  403  200  403  403  200  403  403
GET    api_projections                     401  200  200  200  200  403  200  200  403  403
GET    api_projection                      401  200  200  200  404  403  200  200  403  403
"""

COLUMNS = (
    "stranger",
    "architect",
    "finance",
    "viewer",
    "other",
    "upload",
    "read",
    "write",
    "revoked",
    "expired",
)


def rows() -> list[tuple[str, str, dict[str, str]]]:
    """(method, route with its subject, answer by caller) of each row."""
    found = []
    for line in TABLE.splitlines():
        if line and not line.startswith("#"):
            method, route, *answers = line.split()
            found.append((method, route, dict(zip(COLUMNS, answers, strict=True))))
    return found

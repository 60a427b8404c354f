"""The closed form of a prefill/decode split against the event simulator of two pools (P6.5)."""

from __future__ import annotations

import numpy as np
import pytest

from hardware_catalog.seed.to_engine import SeedCatalog
from tco.inputs import Parallel
from tco.performance.replica import build_replica
from tco.search import split as closed
from tco.search.candidate import Times
from tco.search.fitting import plan_of
from tco.search.rank import spec_of
from tco.search.request import Configuration, Request
from tco.simulate.arrivals import poisson
from tco.simulate.requests import Requests
from tco.simulate.split import Split, simulate_split

CATALOG = SeedCatalog()
COUNT = 4000


@pytest.mark.parametrize("load", [0.3, 0.6, 0.8])
@pytest.mark.parametrize(
    ("each", "output_tokens"),
    [
        (Configuration(Parallel(2), "fp8", "fp8", 64, 1, 3), 250),
        (Configuration(Parallel(2), "fp8", "fp8", 256, 2, 2), 100),
        (Configuration(Parallel(1), "int4", "fp8", 64, 3, 5), 250),
    ],
)
def test_means_agree_and_tails_are_on_the_safe_side(each, output_tokens, load):
    """As the module states; four runs of 4,000 requests, without their first and last tenth."""
    asked = Request(
        CATALOG.model("meta-llama/Llama-3.1-70B"),
        CATALOG.device("h100-sxm"),
        8,
        1000,
        output_tokens,
    )
    plan = plan_of(asked, each)
    made = Times(asked).of(each, plan)
    form = closed.split_of(asked, each, plan, made)
    rate = load * form.saturation_per_s
    table = form.table(np.array([rate]), (95.0,), ("ttft", "tpot", "e2e"))
    steps = build_replica(spec_of(asked, each), ()).step_table()
    link = Split(
        each.prefill_workers, each.decode_workers, form.move_s * 1e9 / 1000, 1e9
    )  # the same seconds of transfer
    tokens, firsts = [], []
    for seed in range(4):
        requests = Requests(
            list(poisson(rate, COUNT, seed)), [1000] * COUNT, [int(output_tokens)] * COUNT
        )
        run = simulate_split(steps, steps, requests, link)
        quiet = slice(COUNT // 10, -COUNT // 10)  # neither filling nor draining
        tokens += run.tpot_s[quiet]
        firsts += run.ttft_s[quiet]
    tpot, ttft = np.array(tokens), np.array(firsts)
    assert table.mean_s["tpot"][0] == pytest.approx(tpot.mean(), rel=0.02)
    assert table.mean_s["ttft"][0] == pytest.approx(ttft.mean(), rel=0.06)
    assert 1.0 <= table.at("tpot", 95.0)[0] / np.percentile(tpot, 95) <= 1.04
    assert 0.96 <= table.at("ttft", 95.0)[0] / np.percentile(ttft, 95) <= 1.15

"""The sim2real study: staged loads, lengths, peers on the same rows."""

from __future__ import annotations

import pytest

from tco.errors import InputError
from tco.evidence.peers import read_peers, shipped_peers, summarise_peers
from tco.evidence.sim2real import parse_load, read_staged
from tests.engine.evidence.test_resolve import ALIASES, SeedCatalog

ACTUALS = """\
set,exp,model,device_key,workload,tp,precision,stage_index,e2e_mean_ms,e2e_p90_ms,e2e_p99_ms,\
itl_mean_ms,ttft_mean_ms,ttft_p90_ms,ttft_p99_ms,exp_id,max_num_batched_tokens,gpu_mem_util,\
cpu_offload,nominal_input_tokens,nominal_output_tokens,nominal_load,stratum
one,x-chat,meta-llama/Llama-3.1-8B-Instruct,h100-sxm,chat,1.0,FP16,-1,2000,2100,2200,8,30,40,50,\
1,2048.0,0.95,False,547.0,248.0,"8 then 20 req/s, 600 s each",seen
one,x-chat,meta-llama/Llama-3.1-8B-Instruct,h100-sxm,chat,1.0,FP16,0,1500,1600,1700,6,25,30,35,\
1,2048.0,0.95,False,547.0,248.0,"8 then 20 req/s, 600 s each",seen
one,y-chat-lite,Qwen/Qwen3-14B,h100-sxm,chat,1.0,FP16,-1,2000,2100,2200,8,30,40,50,\
2,1024.0,,,,,reduced-rate variant; rate not published,seen
two,z-talk-lite,Qwen/Qwen3-14B,h100-sxm,talk,1.0,FP16,-1,2000,2100,2200,8,30,40,50,\
3,1024.0,,,750.0,251.0,"6 req/s, 1200 s",seen
"""
LENGTHS = """\
experiment,stage,model,workload,mean_input_tokens,mean_output_tokens,system_prompt_len
a,stage_0,meta-llama/Llama-2-7b-hf,chat,1,1,100
a,summary,meta-llama/Llama-2-7b-hf,chat,570,200,100
b,summary,meta-llama/Llama-2-70b-hf,chat,580,246,100
"""
PEERS = """\
set,exp,model,device_key,workload,tp,stage_index,simulator,metric_name,predicted,actual,mape,stratum
one,x-chat,m,h100-sxm,chat,1.0,-1,blis-evolved,e2e_mean,2200,2000,999,seen
one,x-chat,m,h100-sxm,talk,1.0,-1,blis-evolved,e2e_mean,2200,2000,999,seen
one,x-chat,m,h100-sxm,chat,1.0,0,blis-evolved,e2e_mean,3000,1500,100,seen
one,w-chat,m,h100-sxm,chat,1.0,-1,blis-evolved,e2e_mean,500,1000,50,seen
one,x-chat,m,h100-sxm,chat,1.0,-1,vidur,e2e_mean,1000,2000,50,seen
"""


@pytest.fixture
def study(tmp_path):
    """A folder with two runs that can be predicted and one that cannot."""
    (tmp_path / "vllm_sim2real_actuals.csv").write_text(ACTUALS)
    (tmp_path / "vllm_h100_ground_truth_blis.csv").write_text(LENGTHS)
    (tmp_path / "peers_sim2real_predictions.csv").write_text(PEERS)
    return tmp_path


def test_a_run_carries_its_stages_and_the_whole(study):
    """8 then 20 requests/s for 600 s each; the stage without a row has no figures."""
    staged, left_out = read_staged(study, SeedCatalog(), ALIASES)
    first = staged[0]
    assert [(one.rate_per_s, one.duration_s) for one in first.stages] == [(8, 600), (20, 600)]
    assert first.whole["e2e_mean"] == 2000
    assert first.stages[0].measured["itl_mean"] == 6
    assert first.stages[1].measured == {}
    assert first.resolved.run.load_value == pytest.approx(14.0)
    assert (first.max_batched_tokens, first.memory_fraction, first.cpu_offload) == (
        2048,
        0.95,
        False,
    )
    assert [(one.run.run_id, one.reason) for one in left_out] == [
        ("one/y-chat-lite", "its rate was never published")
    ]


def test_lengths_as_measured_on_other_models_of_the_workload(study):
    """Mean input of both, the longer output: one of the models stops early."""
    first, second = read_staged(study, SeedCatalog(), ALIASES)[0]
    assert (first.resolved.input_tokens, first.resolved.output_tokens) == (575.0, 246.0)
    assert (first.lengths_from, first.shared_prefix_tokens) == ("other models", 100.0)
    assert (second.resolved.input_tokens, second.lengths_from) == (750.0, "nominal")
    assert second.memory_fraction == 0.9
    assert (first.doubt, bool(second.doubt)) == ("", True)


def test_a_folder_without_the_study_has_no_such_runs(tmp_path):
    """And an unusable file says which run."""
    assert read_staged(tmp_path, SeedCatalog(), ALIASES) == ([], [])
    (tmp_path / "vllm_sim2real_actuals.csv").write_text(ACTUALS.replace(",2048.0,", ",many,"))
    with pytest.raises(InputError, match="x-chat cannot be used"):
        read_staged(tmp_path, SeedCatalog(), ALIASES)


@pytest.mark.parametrize("text", ["", "fast", "5 then 10 then 20 req/s, 600 s each", "5 req/s"])
def test_a_load_that_is_not_stated_is_not_guessed(text):
    """Only the two published forms are read."""
    assert parse_load(text) == ()


def test_peers_are_computed_and_restricted_to_our_rows(study):
    """10 % and 50 % over whole runs; the row repeated under another workload counts once."""
    peers = read_peers(study)
    every = {(one.simulator, one.scope): one for one in summarise_peers(peers)}
    assert every["blis", "whole runs"].rows == 2
    assert every["blis", "whole runs"].median == pytest.approx(0.3)
    assert every["blis", "stages"].median == pytest.approx(1.0)
    same = {
        one.simulator: one for one in summarise_peers(peers, {("one", "x-chat", -1, "e2e_mean")})
    }
    assert (same["blis"].rows, same["blis"].median) == (1, pytest.approx(0.1))
    assert same["vidur"].median == pytest.approx(0.5)
    assert read_peers(study / "nowhere") == []


def test_the_shipped_table_holds_the_published_medians():
    """First set, H100, 25 runs: 4.4 to 6.6 % end to end, 4.1 to 6.2 % inter-token (P16.2)."""
    table = {
        (one.set, one.device, one.variant, one.metric): one
        for one in shipped_peers()
        if one.scope == "whole runs" and one.simulator == "blis"
    }
    evolved = table["eval38", "h100-sxm", "evolved", "e2e_mean"]
    trained = table["eval38", "h100-sxm", "trained-physics", "e2e_mean"]
    assert (evolved.rows, round(evolved.median, 3), round(trained.median, 3)) == (25, 0.044, 0.066)
    assert round(table["eval38", "h100-sxm", "evolved", "itl_mean"].median, 3) == 0.041
    assert round(table["eval38", "h100-sxm", "trained-physics", "ttft_mean"].median, 3) == 0.144

"""A model hub's config.json becomes an own model: previewed, kept, sized, or refused by its key."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from hardware_catalog.catalog.model_import import model_import
from hardware_catalog.catalog.services import Author
from hardware_catalog.models import CatalogEntry
from hardware_catalog.models.as_record import as_record
from hardware_catalog.to_engine import DatabaseCatalog
from tco.document.huggingface import model_from_config
from tco.errors import InputErrors
from tests.engine.document import test_huggingface as hub

pytestmark = pytest.mark.django_db

URL = "/catalog/language_model/import/"
CONFIGS = {
    "dense": hub.LLAMA,
    "latent": hub.DEEPSEEK,
    "experts": hub.MIXTRAL,
    "many experts": hub.QWEN_MOE,
    "chunked": hub.LLAMA_4,
    "window": hub.GEMMA,
    "mxfp4": hub.OSS,
    "Mamba": hub.NANO,
    "linear": hub.QWEN_LINEAR,
    "encoder": hub.BERT,
    "positions": hub.OPT,
    "shared experts wider than the routed": hub.QWEN_MOE
    | {"num_shared_experts": 1, "shared_expert_intermediate_size": 5632},
}


def text_of(config):
    """A config as it lies on the hub."""
    return json.dumps(config, indent=2)


def kept(organisation, config, name="acme/model", **more):
    """Import as a person does."""
    return model_import(
        organisation=organisation, config=config, name=name, author=Author("Ada"), **more
    )


@pytest.mark.parametrize("kind", CONFIGS)
def test_scenarios_get_the_model_of_the_file(kind, demo_organisation):
    """What the catalog gives back has every number of the file, for each architecture."""
    kept(demo_organisation, text_of(CONFIGS[kind]))
    model = DatabaseCatalog(demo_organisation).model("acme/model")
    read = model_from_config(CONFIGS[kind], "acme/model")
    assert model.supported
    for field in type(read).__dataclass_fields__:
        if field != "parameters_g":
            assert getattr(model, field) == getattr(read, field), field
    assert model.parameters_g.value == read.parameters_g.value


def test_figures_carry_where_they_come_from(demo_organisation):
    """Counts are published by the file, the total is counted from them."""
    entry = kept(demo_organisation, text_of(hub.LLAMA), source="https://hub.example/acme/model")
    figures = as_record(entry).figures
    layers, total = figures["num_layers"], figures["total_params_billion_computed"]
    assert (layers.value, layers.status, layers.source) == (
        32,
        "published",
        "https://hub.example/acme/model",
    )
    assert (round(total.value, 3), total.status) == (8.030, "estimated")
    assert (entry.vendor, entry.organisation) == ("acme", demo_organisation)


def test_another_organisation_never_sees_it(demo_organisation, other_organisation, eve_client):
    """The model is its owner's alone, and both may have one of the same name."""
    entry = kept(demo_organisation, text_of(hub.LLAMA))
    assert DatabaseCatalog(other_organisation).model("acme/model") is None
    url = reverse("hardware_catalog:entry", args=[entry.pk])
    assert eve_client.get(url).status_code == 404
    kept(other_organisation, text_of(hub.MIXTRAL))
    assert DatabaseCatalog(demo_organisation).model("acme/model").experts is None


def test_importing_again_brings_the_entry_to_the_file(demo_organisation):
    """Figures that the new file lacks are gone from the model, and in its history."""
    first = kept(demo_organisation, text_of(hub.MIXTRAL))
    again = kept(demo_organisation, text_of(hub.LLAMA))
    assert again.pk == first.pk
    model = DatabaseCatalog(demo_organisation).model("acme/model")
    assert (model.experts, model.vocabulary) == (None, 128256)
    before = first.changes.order_by("-pk").first().before
    assert before["figures"]["num_experts_routed"]["value"] == 8


def test_a_name_of_the_shared_catalog_is_refused(shelf, demo_organisation):
    """Nobody else's figures under a name that everybody knows; nothing is stored."""
    with pytest.raises(InputErrors) as found:
        kept(demo_organisation, text_of(hub.LLAMA), name="meta-llama/Llama-3.1-70B")
    assert [error.field for error in found.value.errors] == ["name"]
    assert not CatalogEntry.objects.filter(organisation=demo_organisation).exists()


@pytest.mark.parametrize("name", ["", "a b", "/x", "x/", "../x", "x" * 201, "n\u00e4me"])
def test_a_name_that_no_scenario_could_hold(name, demo_organisation):
    """The field is `name`."""
    with pytest.raises(InputErrors) as found:
        kept(demo_organisation, text_of(hub.LLAMA), name=name)
    assert found.value.errors[0].field == "name"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Nothing is given: choose a file or paste its text."),
        ("{", "The text is not JSON"),
        ("[]", "The text is not a mapping"),
        ("[" * 100_000, "nested too deep"),
        ("{" + " " * 500_000 + "}", "characters are too many"),
        (
            text_of({k: v for k, v in hub.LLAMA.items() if k != "vocab_size"}),
            "vocab_size is missing: add it",
        ),
        (text_of(hub.LLAMA | {"num_key_value_heads": 7}), "num_key_value_heads: 7 does not divide"),
        (text_of(hub.LLAMA | {"num_hidden_layers": 10**12}), "num_hidden_layers: 1,000,000,000,00"),
        (text_of(hub.LLAMA | {"vocab_size": 10**10}), "is above 1e+09: check the config"),
        (
            text_of(hub.LLAMA | {"quantization_config": {"quant_method": "acme9"}}),
            "quantization_config: the method &#x27;acme9&#x27; is not known",
        ),
    ],
)
def test_the_page_names_the_key_beside_the_text(text, said, ada_client, demo_organisation):
    """422, the typed text is still there, nothing is stored."""
    posted = {"text": text, "name": "acme/model", "action": "save"}
    answer = ada_client.post(URL, posted)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert said in page
    assert page.index('id="id_text_error"') < page.index(said)
    assert 'value="acme/model"' in page
    assert not CatalogEntry.objects.filter(organisation=demo_organisation).exists()


def test_preview_then_save(ada_client, demo_organisation):
    """The file's own figures are shown first; saving leads to the model's page."""
    posted = {"text": text_of(hub.DEEPSEEK), "name": "acme/r1", "action": "preview"}
    answer = ada_client.post(URL, posted)
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "671 <" in page  # 10^9 parameters
    assert "36.6 × 10⁹ of them compute for a token" in page
    assert "70,272" in page  # bytes a token: 61 layers x (512 + 64) x 2
    assert "256 experts of 2,048, 8 a token" in page
    assert not CatalogEntry.objects.filter(organisation=demo_organisation).exists()
    saved = ada_client.post(URL, posted | {"action": "save"}, follow=True)
    assert "acme/r1 is in your catalog." in saved.content.decode()
    entry = CatalogEntry.objects.get(organisation=demo_organisation)
    assert saved.redirect_chain == [(reverse("hardware_catalog:entry", args=[entry.pk]), 302)]
    assert "Use in a scenario" in saved.content.decode()


def test_an_uploaded_file_lands_in_the_text(ada_client):
    """Saving needs no second upload; the file's own name for itself is taken."""
    config = hub.LLAMA | {"_name_or_path": "acme/of-the-file"}
    file = SimpleUploadedFile("config.json", b"\xef\xbb\xbf" + text_of(config).encode())
    page = ada_client.post(URL, {"file": file, "action": "preview"}).content.decode()
    assert 'value="acme/of-the-file"' in page
    assert "&quot;num_hidden_layers&quot;: 32" in page
    assert "Save to your catalog" in page


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"\xff\xfe\x00", "It is not text in UTF-8"), (b"x" * 2_000_001, "2,000,001 bytes are too")],
)
def test_a_file_that_is_no_config(content, said, ada_client):
    """Told beside the file."""
    file = SimpleUploadedFile("config.json", content)
    answer = ada_client.post(URL, {"file": file, "name": "acme/model", "action": "preview"})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert page.index('id="id_file_error"') < page.index(said) < page.index('id="id_text"')


def test_who_reads_only_is_refused(client, fin):
    """Finance sees the models and no way to add one."""
    client.force_login(fin)
    assert client.get(URL).status_code == 403
    assert "Import a config.json" not in client.get("/catalog/language_model/").content.decode()


def test_an_own_model_is_sized_in_a_scenario(seed_catalog, demo_organisation):
    """A scenario names it, and is projected with its parameters."""
    from tco.document import resolve
    from tco.projection import project
    from tests.planner.conftest import example

    kept(demo_organisation, text_of(hub.QWEN_MOE), name="acme/moe")
    document = example("chat")
    document["workloads"][0] |= {"model": "acme/moe", "weight_dtype": "bf16"}
    projection = project(resolve(document, DatabaseCatalog(demo_organisation)))
    assert projection.best_option
    terms = {term.name: term for term in projection.options[0].fleets[0].terms}
    assert round(terms["model parameters"].value, 2) == 30.53
    assert terms["model parameters"].source == "counted from the shape in its config.json"


def test_the_api_imports_and_names_the_key(ada_client, demo_organisation):
    """201 with the entry; 422 with the path of the key."""
    url = "/api/v1/catalog/models/import/"
    body = {"name": "acme/model", "config": hub.MIXTRAL, "source": "the hub"}
    answer = ada_client.post(url, json.dumps(body), content_type="application/json")
    assert answer.status_code == 201, answer.content
    assert answer.json()["key"] == "acme/model"
    assert {one["source"] for one in answer.json()["figures"]} == {
        "the hub",
        "counted from the shape in its config.json",
    }
    body["config"] = {k: v for k, v in hub.MIXTRAL.items() if k != "hidden_size"}
    answer = ada_client.post(url, json.dumps(body), content_type="application/json")
    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["errors"]] == ["config.hidden_size"]

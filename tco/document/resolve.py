"""Document and catalog to engine inputs: every name replaced by figures."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from tco.document.availability import availability as availability_of
from tco.document.booking import Booking
from tco.document.catalog import Catalog
from tco.document.currency import Exchange
from tco.document.hall import hall_of
from tco.document.local_catalog import LocalCatalog, server_device_error, unknown
from tco.document.mixing import mix_request
from tco.document.moving import (
    exit_of,
    migration,
    retraining,
    staffing,
    support_of,
    unknown_features,
)
from tco.document.names import unknown_names
from tco.document.networks import fabrics_of, plant_of, store_of
from tco.document.parse import path_to
from tco.document.renting import api as api_of
from tco.document.shares import fleet_shares
from tco.document.sharing import co_location, partition, with_quality
from tco.document.stages import pipeline_stages
from tco.document.tariff import (
    by_parts,
    existing_load,
    flat_tariff,
    part_load,
    rated_pue,
    surroundings,
)
from tco.document.tariff import tariff as tariff_of
from tco.document.validate import validate
from tco.document.values import values
from tco.document.zones import zoned
from tco.errors import InputError, InputErrors
from tco.fields import field
from tco.inputs import (
    BatchService,
    Colocation,
    Correlation,
    FacilityBuild,
    Figure,
    Finance,
    Fleet,
    LanguageModel,
    LatencyTarget,
    MeasuredPoint,
    MeasuredService,
    Option,
    ScenarioInputs,
    Server,
    Site,
    Tariff,
    Tax,
    Training,
    Workload,
    assumed,
)

HOURS = 24
SECONDS_PER_MINUTE = 60


def resolve(document: Mapping[str, Any], catalog: Catalog) -> ScenarioInputs:
    """Return the engine inputs of a document.

    A site takes price, grid carbon and country from its region unless it sets them. What is left
    out has the default of ``tco/fields.csv``, assumed. A server without a price keeps none.

    Raises
    ------
    InputErrors
        All errors of `validate`, and of names and choices that need the catalog: an unknown
        device with the nearest names, a server that takes several devices and names none.
    """
    names = unknown_names(document, catalog) if isinstance(document, Mapping) else ()
    errors = (*validate(document), *names)
    if errors:
        raise InputErrors(errors)
    return _Resolver(document, catalog).scenario()


class _Resolver:
    """One pass over a valid document whose names are known."""

    def __init__(self, document: Mapping[str, Any], catalog: Catalog) -> None:
        self._document = document
        self._errors: list[InputError] = []
        try:
            self._catalog = LocalCatalog(document, catalog)
        except InputError as error:  # an entry of the shared catalog that cannot be used
            raise InputErrors((error,)) from error
        self._errors.extend(self._catalog.errors)
        self._booking = Booking(document, self._catalog, self._refuse)

    def scenario(self) -> ScenarioInputs:
        """Resolve everything, or raise every error."""
        document = self._document
        sites = {
            given["key"]: self._site(f"sites[{index}]", given)
            for index, given in enumerate(document.get("sites", []))
        }
        workloads = {
            given["key"]: self._workload(f"workloads[{index}]", given)
            for index, given in enumerate(document["workloads"])
        }
        options = [
            self._option(f"options[{index}]", given, sites, workloads)
            for index, given in enumerate(document["options"])
        ]
        exchange = Exchange(document, self._catalog.exchange_rates())
        self._errors.extend(exchange.errors(self._booking.taken))
        if self._errors:
            raise InputErrors(tuple(self._errors))
        inputs = ScenarioInputs(
            name=document["name"],
            finance=_finance(document["finance"]),
            sites=tuple(site for site in sites.values() if site is not None),
            workloads=tuple(workloads.values()),
            options=tuple(options),
            correlations=tuple(
                Correlation(**values("correlation", item))
                for item in document.get("correlations", ())
            ),
            mix=mix_request(document.get("optimise")),
        )
        found: ScenarioInputs = exchange.convert(inputs)
        finance = dataclasses.replace(found.finance, exchange_rates=exchange.paths())
        return dataclasses.replace(found, finance=finance)

    def _refuse(self, error: InputError) -> None:
        self._errors.append(error)

    def _site(self, path: str, given: Mapping[str, Any]) -> Site | None:
        found = values("site", given)
        region = self._catalog.region(given["region"]) if "region" in given else None
        if "tariff" in given:
            tariff: Tariff | None = tariff_of(given["tariff"], bool(found["demand_included"]))
        else:
            tariff = flat_tariff(path, found, region, self._refuse)
        parts = {}
        for kind in ("cooling", "rack", "feed"):
            key = given.get(kind, field("site", kind).default)
            parts[kind] = getattr(self._catalog, kind)(key)
            if parts[kind] is None:
                self._refuse(unknown(path_to(path, kind), kind, key, self._catalog))
        if tariff is None or None in parts.values():
            return None
        feed = dataclasses.replace(
            parts["feed"],
            feeds_per_rack=found["feeds_per_rack"],
            redundancy=found["feed_redundancy"],
        )
        curve, plant = part_load(given), plant_of(given.get("plant"))
        rent, build = given.get("colocation"), given.get("build")
        grid = found["grid_gco2_per_kwh"] or (region.grid_gco2_per_kwh if region else None)
        return Site(
            key=given["key"],
            name=found["name"] or given["key"],
            region=given.get("region", ""),
            country=found["country"] or (region.country if region else ""),
            tariff=by_parts(tariff, given),
            pue=rated_pue(curve or plant) or found["pue"],
            cooling=parts["cooling"],
            rack=parts["rack"],
            feed=feed,
            slot_w=found["slot_w"],
            hall_kw=found["hall_kw"],
            utility_kw=found["utility_kw"],
            colocation=Colocation(**values("colocation", rent)) if rent else None,
            build=FacilityBuild(**values("build", build)) if build else None,
            grid_gco2_per_kwh=grid,
            residency_regime=found["residency_regime"]
            or (region.residency_regime if region else ""),
            part_load=curve,
            existing_load=existing_load(given),
            load_shape=found["load_shape"],
            month_shape=found["month_shape"],
            load_year=found["load_year"],
            own_generation_kw=found["own_generation_kw"],
            around=surroundings(given, found),
            hall=hall_of(path, given, self._catalog, parts["rack"], feed, self._refuse),
            plant=plant,
        )

    def _workload(self, path: str, given: Mapping[str, Any]) -> Workload:
        found = values("workload", given)
        service, training = given.get("service"), given.get("training")
        kind = workload_kind(given)
        for error in unknown_features(path, found["framework_features"], self._catalog):
            self._refuse(error)
        none = "a training run answers no requests" if training else "not asked of this service"
        rate: Figure | None = found["requests_per_minute"]
        return Workload(
            key=given["key"],
            name=found["name"] or given["key"],
            kind=kind,
            model=with_quality(self._model(path, given), given),
            service=_service(service) if service else None,
            training=Training(**values("training", training)) if training else None,
            peak_requests_per_s=_per_second(rate) if rate else assumed(0.0, "request/s", none),
            daily_shape=found["daily_shape"] or (1.0,) * HOURS,
            growth_fraction_per_year=found["growth_fraction_per_year"],
            input_tokens=found["input_tokens"] or assumed(0.0, "token", none),
            output_tokens=found["output_tokens"] or assumed(0.0, "token", none),
            targets=tuple(
                LatencyTarget(**{**target, "percentile": float(target["percentile"])})
                for target in (values("target", item) for item in given.get("targets", []))
            ),
            weight_dtype=found["weight_dtype"],
            kv_dtype=found["kv_dtype"],
            headroom_fraction=found["headroom_fraction"],
            cached_input_fraction=found["cached_input_fraction"],
            replicas_lost=found["replicas_lost"],
            numeric_tolerance=found["numeric_tolerance"],
            residency=found["residency"],
            required_features=found["requires"],
            framework_features=found["framework_features"],
            batch=BatchService(**values("batch_inference", given["batch_inference"]))
            if "batch_inference" in given
            else None,
            stages=pipeline_stages(path, given, self._model),
            quality_floor_fraction=found["quality_floor_fraction"],
            quality_measure=found["quality_measure"],
            downtime_usd_per_hour=found["downtime_usd_per_hour"],
            downtime_usd_per_event=found["downtime_usd_per_event"],
            tolerance_fraction=found["tolerance_fraction"],
        )

    def _model(self, path: str, given: Mapping[str, Any]) -> LanguageModel | None:
        if "model" not in given:
            return None
        try:
            return self._catalog.model(given["model"])
        except InputError as error:
            self._refuse(InputError(path_to(path, "model"), error.message, error.mend))
            return None

    def _option(
        self,
        path: str,
        given: Mapping[str, Any],
        sites: Mapping[str, Site | None],
        workloads: Mapping[str, Workload],
    ) -> Option:
        listed, key = given["fleets"], given["key"]

        def fleet_at(index: int, site: str) -> Fleet:
            item, place = listed[index], f"{path}.fleets[{index}]"
            return self._fleet(place, item, sites.get(site), workloads[item["workload"]])

        team = staffing(self._document.get("staffing"))
        if "zones" in given:
            fleets, zoning = zoned(given, self._document, fleet_shares, fleet_at)
            return Option(key, given.get("name", key), fleets, team, zoning)
        fleets = tuple(
            dataclasses.replace(fleet_at(index, item.get("site", "")), share_fraction=share)
            for index, (item, share) in enumerate(zip(listed, fleet_shares(listed), strict=True))
        )
        return Option(key, given.get("name", key), fleets, team)

    def _fleet(
        self, path: str, given: Mapping[str, Any], site: Site | None, workload: Workload
    ) -> Fleet:
        found = values("fleet", given)
        server = self._server(path, given) if "server" in given else None
        offer = self._catalog.offer(given["offer"]) if "offer" in given else None
        rental, purchase, agreed = None, None, None
        name = given["key"]
        if server is not None:
            name = server.name
            purchase, agreed = self._booking.bought(path, given, server)
        elif offer is not None:
            name = f"{offer.provider} {offer.instance_type}"
            rental, agreed = self._booking.rented(path, given, offer)
        elif "api" in given:
            name = f"{given['api']['provider']} API"
        machine = server or offer
        support = support_of(
            path,
            given,
            workload.framework_features,
            machine.device.key if machine else None,
            self._catalog,
            self._refuse,
        )
        return Fleet(
            key=given["key"],
            name=found["name"] or name,
            workload=workload,
            share_fraction=1.0,
            server=server,
            site=site,
            purchase=purchase,
            offer=offer,
            rental=rental,
            api=api_of(given.get("api")),
            count=found["count"],
            tensor_parallel=found["tensor_parallel"],
            pipeline_parallel=found["pipeline_parallel"],
            expert_parallel=found["expert_parallel"],
            attention_data_parallel=found["attention_data_parallel"],
            engine=found["engine"],
            migration=migration(given.get("migration")),
            exit=exit_of(given.get("exit")),
            retraining=retraining(given.get("retraining")),
            canary_fraction=found["canary_fraction"],
            framework=found["framework"],
            support=support,
            start_month=found["start_month"],
            stage=found["stage"],
            stage_model=self._model(path, given),
            partition=partition(path, given, server or offer, self._refuse),
            co_located=co_location(given),
            availability=availability_of(given.get("availability")),
            confidential_speed_fraction=found["confidential_speed_fraction"],
            fabrics=fabrics_of(path, given, self._catalog, self._refuse),
            store=store_of(given.get("store")),
            agreed=agreed,
        )

    def _server(self, path: str, given: Mapping[str, Any]) -> Server | None:
        key, device = given["server"], given.get("device")
        try:
            found = self._catalog.server(key, device)
        except InputError as error:
            self._refuse(InputError(path_to(path, "server"), error.message, error.mend))
            return None
        if found is None:
            taken = self._catalog.devices_of(key)
            self._refuse(server_device_error(path_to(path, "device"), key, device, taken))
        return found


def workload_kind(given: Mapping[str, Any]) -> str:
    """Return the kind of a workload by what it holds.

    Examples
    --------
    >>> workload_kind({"stages": []}), workload_kind({"model": "m"})
    ('pipeline', 'serving')
    """
    kinds = {
        "training": "training",
        "service": "measured_service",
        "stages": "pipeline",
        "batch_inference": "batch_inference",
    }
    return next((kind for name, kind in kinds.items() if name in given), "serving")


def _finance(given: Mapping[str, Any]) -> Finance:
    tax = given.get("tax")
    return Finance(**values("finance", given), tax=Tax(**values("tax", tax)) if tax else None)


def _service(given: Mapping[str, Any]) -> MeasuredService:
    points = tuple(MeasuredPoint(**values("point", point)) for point in given["points"])
    return MeasuredService(**values("service", given), points=points)


def _per_second(rate: Figure) -> Figure:
    """The same figure by the second: a unit changed, nothing estimated."""
    low, high = (None if end is None else end / SECONDS_PER_MINUTE for end in (rate.low, rate.high))
    value = rate.value / SECONDS_PER_MINUTE
    return dataclasses.replace(rate, value=value, unit="request/s", low=low, high=high)

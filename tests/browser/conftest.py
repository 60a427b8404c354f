"""A real Chromium against a real server and database."""

from __future__ import annotations

import os
import shutil

import pytest

# Playwright's loop runs in this thread; Django then takes every call for an asynchronous one.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    """Use the machine's Chromium; Playwright's own download is not wanted."""
    path = next(
        (
            found
            for name in ("chromium", "chromium-browser", "google-chrome")
            if (found := shutil.which(name))
        ),
        None,
    )
    assert path, "No Chromium here: run `make test`, which installs it."
    return {**browser_type_launch_args, "executable_path": path, "args": list(FLAGS)}


@pytest.fixture(autouse=True)
def _browser_marker(request):
    request.node.add_marker(pytest.mark.browser)


@pytest.fixture
def watched(page, live_server):
    """A page that records console errors and requests that leave the site."""
    page.console_errors = []
    page.outside = []
    page.on(
        "console",
        lambda message: (
            page.console_errors.append(message.text) if message.type == "error" else None
        ),
    )
    page.on("pageerror", lambda error: page.console_errors.append(str(error)))

    def note(request):
        if not request.url.startswith((live_server.url, "data:", "blob:")):
            page.outside.append(request.url)

    page.on("request", note)
    return page


@pytest.fixture
def signed_in(watched, live_server, ada, client):
    """Ada's browser, signed in."""
    client.force_login(ada)
    cookie = client.cookies["sessionid"].value
    watched.context.add_cookies([{"name": "sessionid", "value": cookie, "url": live_server.url}])
    return watched

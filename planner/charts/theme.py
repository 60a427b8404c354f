"""How charts look: one palette, one layout. Text and grid take the colours of the page."""

from __future__ import annotations

from typing import Any

# Okabe and Ito's colours that can be told apart by colour-blind readers and stand out on light and
# dark paper; yellow and black are left out, they vanish on one of the two.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
# Plotly's hatching, so that stacked parts differ by more than colour.
PATTERNS = ("", "/", "\\", "x", "-", "|", "+", ".")
TARGET_COLOUR = "#D55E00"
LABEL_HEIGHT = 16  # px of a line of text
LABEL_LETTERS = 28  # longer labels would cover the drawing on a small screen
FADED = "rgba(128,128,128,0.18)"


def plain(text: str) -> str:
    """Return a name so that Plotly's little HTML in labels cannot read it as markup.

    >>> plain("<b>x</b> & %{y}")
    '&lt;b>x&lt;/b> &amp; % {y}'
    """
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("%{", "% {")


def colour(index: int) -> str:
    """Return the colour of the fleet or option with this place in the scenario.

    >>> colour(0) == colour(6)
    True
    """
    return PALETTE[index % len(PALETTE)]


def wash(index: int, opacity: float) -> str:
    """Return the colour of a place so faint that lines and text stay readable on it.

    >>> wash(0, 0.14)
    'rgba(0,114,178,0.14)'
    """
    code = colour(index)
    red, green, blue = (int(code[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity:g})"


def dash(index: int) -> str:
    """Return the line style that goes with the colour; it differs where colours repeat."""
    return DASHES[(index + index // len(PALETTE)) % len(DASHES)]


def axis(title: str, **more: Any) -> dict[str, Any]:
    """Return an axis with its title and unit."""
    return {"title": {"text": title, "standoff": 8}, "automargin": True, **more}


def layout(x_title: str, y_title: str, **more: Any) -> dict[str, Any]:
    """Return a layout with both axes named; room on the right for the direct labels."""
    base: dict[str, Any] = {
        "xaxis": axis(x_title),
        "yaxis": axis(y_title, rangemode="tozero"),
        "margin": {"l": 56, "r": 24, "t": 16, "b": 48},
        "height": 340,
        "showlegend": False,
        "hovermode": "x unified",
        "annotations": [],
        "shapes": [],
    }
    for key, value in more.items():
        merge = isinstance(value, dict) and isinstance(base.get(key), dict)
        base[key] = {**base[key], **value} if merge else value
    return base


def line(
    name: str, x: list[Any], y: list[Any], index: int, unit: str, **more: Any
) -> dict[str, Any]:
    """Return a line in the colour and style of its place."""
    return {
        "type": "scatter",
        "mode": "lines",
        "name": plain(name),
        "x": x,
        "y": y,
        "line": {"color": colour(index), "width": 2.5, "dash": dash(index)},
        "hovertemplate": f"{plain(name)}: %{{y:,.4~g}} {unit}<extra></extra>",
        **more,
    }


def end_label(text: str, x: Any, y: float, index: int) -> dict[str, Any]:
    """Return a label at the end of a line: read before any legend."""
    return {
        "text": plain(text if len(text) <= LABEL_LETTERS else f"{text[: LABEL_LETTERS - 1]}…"),
        "x": x,
        "y": y,
        "xanchor": "right",
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": 12, "weight": 600},
        "bordercolor": colour(index),
        "borderwidth": 0,
    }


def spread(notes: list[dict[str, Any]], top: float, height: int = 276) -> list[dict[str, Any]]:
    """Move end labels apart so that none covers another.

    Parameters
    ----------
    notes
        Annotations; those without an arrow that stand right-aligned are end labels.
    top
        Upper end of the y axis, which starts at 0.
    height
        Pixels between the axis's ends.
    """
    labels = sorted(
        (item for item in notes if item.get("xanchor") == "right" and not item["showarrow"]),
        key=lambda item: float(item["y"]),
    )
    lowest = -1e9
    for label in labels:
        at = min(float(label["y"]), top) / top * height if top > 0 else 0.0
        wanted = max(at, lowest + LABEL_HEIGHT)
        label["yshift"] = round(wanted - at)
        lowest = wanted
    return notes


def note(text: str, x: Any, y: Any, **more: Any) -> dict[str, Any]:
    """Return a note with an arrow to its point."""
    return {
        "text": text,
        "x": x,
        "y": y,
        "showarrow": True,
        "arrowhead": 2,
        "ax": 0,
        "ay": -36,
        **more,
    }

"""What a browser would post of a form: the standard library's parser is enough."""

from __future__ import annotations

from html.parser import HTMLParser


class _Form(HTMLParser):
    def __init__(self, form_id: str) -> None:
        super().__init__(convert_charrefs=True)
        self.form_id = form_id
        self.inside = False
        self.values: dict[str, list[str]] = {}
        self.area: str | None = None
        self.text = ""
        self.select: str | None = None
        self.options: list[tuple[str, bool]] = []

    def add(self, name: str | None, value: str) -> None:
        if name:
            self.values.setdefault(name, []).append(value)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        if tag == "form":
            self.inside = found.get("id") == self.form_id
        if not self.inside:
            return
        if tag == "input" and found.get("type") not in {"checkbox", "radio", "submit", "file"}:
            self.add(found.get("name"), found.get("value") or "")
        elif tag == "input" and found.get("type") == "checkbox" and "checked" in found:
            self.add(found.get("name"), found.get("value") or "on")
        elif tag == "textarea":
            self.area, self.text = found.get("name"), ""
        elif tag == "select":
            self.select, self.options = found.get("name"), []
        elif tag == "option" and self.select is not None:
            self.options.append((found.get("value") or "", "selected" in found))

    def handle_data(self, data):
        if self.area is not None:
            self.text += data

    def handle_endtag(self, tag):
        if tag == "form":
            self.inside = False
        elif tag == "textarea" and self.area is not None:
            # a browser drops the newline right after the tag and sends CR LF for the others
            self.add(self.area, self.text.removeprefix("\n").replace("\n", "\r\n"))
            self.area = None
        elif tag == "select" and self.select is not None:
            chosen = [value for value, picked in self.options if picked]
            default = [self.options[0][0]] if self.options else []
            for value in chosen[-1:] or default:
                self.add(self.select, value)
            self.select = None


def posted_form(html: str, form_id: str = "builder-form") -> dict[str, list[str]]:
    """The fields of a form by name, as they stand on the page."""
    parser = _Form(form_id)
    parser.feed(html)
    parser.close()
    assert parser.values, f"no form {form_id!r} on the page"
    return parser.values

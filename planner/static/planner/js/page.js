// Small things every page has: sortable tables, copy buttons, csrf for htmx.
(function () {
  "use strict";
  function cellValue(row, index) {
    var cell = row.children[index];
    if (!cell) { return ""; }
    var raw = cell.getAttribute("data-value");
    var text = raw === null ? cell.textContent.trim() : raw;
    var number = Number(text.replace(/[,\s]/g, ""));
    return text !== "" && !Number.isNaN(number) ? number : text.toLowerCase();
  }
  function sortBy(button) {
    var head = button.closest("th");
    var body = button.closest("table").tBodies[0];
    var index = Array.prototype.indexOf.call(head.parentNode.children, head);
    var down = head.getAttribute("aria-sort") === "ascending";
    head.parentNode.querySelectorAll("th").forEach(function (th) { th.removeAttribute("aria-sort"); });
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    Array.from(body.rows).sort(function (a, b) {
      var x = cellValue(a, index), y = cellValue(b, index);
      var order = typeof x === typeof y ? (x > y ? 1 : x < y ? -1 : 0) : typeof x === "number" ? -1 : 1;
      return down ? -order : order;
    }).forEach(function (row) { body.appendChild(row); });
  }
  document.addEventListener("click", function (event) {
    var sort = event.target.closest("button.sort");
    if (sort) { sortBy(sort); return; }
    var copy = event.target.closest("[data-copy]");
    if (copy) {
      var source = document.getElementById(copy.getAttribute("data-copy"));
      navigator.clipboard.writeText(source.textContent.trim()).then(function () {
        copy.textContent = "Copied";
      }, function () { copy.textContent = "Press Ctrl+C"; });
    }
  });
  document.addEventListener("keydown", function (event) {
    if (event.key !== "/" || event.target.closest("input, textarea, select")) { return; }
    var search = document.querySelector("input[type=search]");
    if (search) { event.preventDefault(); search.focus(); }
  });
})();

// The builder: findings of the live preview stand beside the fields they are about.
(function () {
  "use strict";
  function slotOf(path) {
    return document.querySelector('[data-slot="' + CSS.escape(path) + '"]');
  }
  function clear() {
    document.querySelectorAll("[data-slot]").forEach(function (slot) {
      slot.textContent = "";
      slot.className = "field-error";
      var field = slot.closest(".field");
      if (field) {
        field.classList.remove("has-error");
        field.querySelectorAll("[aria-invalid]").forEach(function (input) { input.removeAttribute("aria-invalid"); });
      }
    });
  }
  function place(finding) {
    var slot = slotOf(finding.slot);
    if (!slot) { return; }
    var text = finding.message + (finding.mend ? ": " + finding.mend : "") + ".";
    var word = finding.severity === "error" ? "" : finding.severity === "warning" ? "Warning: " : "Note: ";
    slot.textContent = (slot.textContent ? slot.textContent + " " : "") + word + text;
    if (finding.severity !== "error") {
      if (slot.textContent === word + text) { slot.className = "small muted"; }
      return;
    }
    slot.className = "field-error";
    var field = slot.closest(".field");
    if (field) {
      field.classList.add("has-error");
      var input = field.querySelector(".field-input input, .field-input select, .field-input textarea");
      if (input) { input.setAttribute("aria-invalid", "true"); }
    }
    for (var fold = slot.closest("details"); fold; fold = fold.parentElement.closest("details")) { fold.open = true; }
  }
  document.addEventListener("htmx:afterSwap", function (event) {
    if (event.target.id !== "preview") { return; }
    var source = document.getElementById("preview-findings");
    if (!source) { return; }
    clear();
    JSON.parse(source.textContent).forEach(place);
  });
  // A field with a list of names: selecting its text on focus makes the whole list searchable.
  document.addEventListener("focusin", function (event) {
    if (event.target.matches("input[data-search]")) { event.target.select(); }
  });
})();

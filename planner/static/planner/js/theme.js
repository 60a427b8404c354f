// Sets the theme before the first paint: the person's choice, else the system's.
(function () {
  "use strict";
  var root = document.documentElement;
  var stored = null;
  try { stored = localStorage.getItem("theme"); } catch (error) { stored = null; }
  var system = window.matchMedia("(prefers-color-scheme: dark)");
  function apply(theme) {
    root.setAttribute("data-theme", theme);
    document.dispatchEvent(new CustomEvent("theme:change", { detail: theme }));
  }
  apply(stored || (system.matches ? "dark" : "light"));
  system.addEventListener("change", function (event) {
    if (!stored) { apply(event.matches ? "dark" : "light"); }
  });
  document.addEventListener("click", function (event) {
    var button = event.target.closest("[data-theme-toggle]");
    if (!button) { return; }
    stored = root.getAttribute("data-theme") === "dark" ? "light" : "dark";
    try { localStorage.setItem("theme", stored); } catch (error) { /* private mode: this page only */ }
    apply(stored);
  });
})();

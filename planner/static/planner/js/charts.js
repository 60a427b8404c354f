// Draws every <figure data-figure="ID"> from the JSON in <script id="ID" type="application/json">.
(function () {
  "use strict";
  function token(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }
  function themed(layout) {
    var ink = token("--ink-2"), rule = token("--rule");
    var axis = { color: ink, gridcolor: rule, zerolinecolor: token("--rule-strong"), linecolor: rule };
    var out = Object.assign({}, layout, {
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: Object.assign({ family: token("--font"), size: 12, color: ink }, { color: ink }),
      hoverlabel: { bgcolor: token("--card"), bordercolor: rule, font: { color: token("--ink") } }
    });
    Object.keys(out).forEach(function (key) {
      if (/^[xy]axis/.test(key)) { out[key] = Object.assign({}, axis, out[key]); }
    });
    (out.annotations || []).forEach(function (note) {
      if (!note.font || !note.font.color) { note.font = Object.assign({}, note.font, { color: ink }); }
    });
    return out;
  }
  function draw(figure) {
    var source = document.getElementById(figure.getAttribute("data-figure"));
    var plot = figure.querySelector(".chart-plot");
    if (!source || !plot || !window.Plotly) { return; }
    var spec = JSON.parse(source.textContent);
    window.Plotly.react(plot, spec.data, themed(spec.layout), {
      displaylogo: false, responsive: true, showSendToCloud: false,
      modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"]
    });
  }
  function drawAll(root) {
    (root || document).querySelectorAll("figure[data-figure]").forEach(draw);
  }
  document.addEventListener("DOMContentLoaded", function () { drawAll(document); });
  document.addEventListener("theme:change", function () { drawAll(document); });
  document.addEventListener("htmx:afterSwap", function (event) { drawAll(event.target); });
})();

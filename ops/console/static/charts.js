// Draws the charts of a page, in the page's own colours, and in black on white when it is printed.
"use strict";
(() => {
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const named = (value) => {  // a colour in a figure is one of the page's, by its name: "@won"
    if (typeof value === "string") return value.startsWith("@") ? colour(value.slice(1)) : value;
    if (Array.isArray(value)) return value.map(named);
    if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, named(one)]));
    return value;
  };
  const axis = () => ({ gridcolor: colour("line"), zerolinecolor: colour("line-strong"), linecolor: colour("line-strong"), automargin: true });
  const draw = (plot) => {
    const figure = named(JSON.parse(document.getElementById(plot.dataset.figure).textContent));
    const layout = {
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: getComputedStyle(document.body).fontFamily, size: 13, color: colour("ink") },
      colorway: ["accent", "player", "banker", "warn", "quiet"].map(colour),
      margin: { l: 64, r: 16, t: 16, b: 48 }, showlegend: true, legend: { orientation: "h", y: 1.12 },
      hoverlabel: { bgcolor: colour("sheet"), font: { color: colour("ink") } }, ...figure.layout,
    };
    for (const name of ["xaxis", "yaxis"]) layout[name] = { ...axis(), ...layout[name] };
    return Plotly.react(plot, figure.data, layout, { responsive: true, displayModeBar: false });
  };
  const all = () => { for (const plot of document.querySelectorAll("[data-figure]")) draw(plot); };
  all();
  document.addEventListener("console:theme", all);
  document.addEventListener("console:updated", all);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", all);
  matchMedia("print").addEventListener("change", all);
})();

// The map of the tab "Analyse"; appended to analyse.js, whose functions it uses. The drawing library is
// large, so it is fetched when the first map is shown.
let plotly = null;
function loadPlotly() {
  plotly ??= window.Plotly ? Promise.resolve(window.Plotly) : new Promise((done, failed) => {
    document.head.append(symdemo.make("script", {src: fileUrl(props.plotly),
      onload: () => done(window.Plotly), onerror: () => { plotly = null; failed(); }}));
  });
  return plotly;
}
async function drawMap({traces, words}) {
  let library;
  try { library = await loadPlotly(); } catch { say("The map could not be drawn. Try again."); return; }
  const box = root.querySelector(".an-map"); // looked up after the wait, which may have replaced it
  if (!box) return;
  const style = getComputedStyle(root);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim(), soft = colour("text-soft");
  const many = traces.reduce((sum, one) => sum + one.x.length, 0) > 2000;
  const kind = many && document.createElement("canvas").getContext("webgl") ? "scattergl" : "scatter";
  const drawn = traces.map((one) => ({type: kind, mode: "markers", name: one.name, x: one.x, y: one.y,
    text: one.text, customdata: one.rows, hovertemplate: "%{text}<extra>%{fullData.name}</extra>",
    marker: {size: one.big ? 9 : 6, opacity: one.faint ? 0.25 : 0.8,
      color: one.colour.startsWith("#") ? one.colour : colour(one.colour), symbol: one.symbol,
      line: {width: one.big ? 1 : 0, color: colour("text")}}}));
  const axis = {showticklabels: false, zeroline: false, gridcolor: "rgba(138,143,152,0.2)"};
  const layout = {height: 460, margin: {l: 10, r: 10, t: 10, b: 10}, dragmode: "lasso", hovermode: "closest",
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", font: {color: soft, size: 13},
    legend: {orientation: "h", y: -0.02}, xaxis: axis, yaxis: {...axis, scaleanchor: "x"},
    modebar: {bgcolor: "rgba(0,0,0,0)", color: soft, activecolor: colour("text")}};
  await library.react(box, drawn, layout, {responsive: true, displaylogo: false, scrollZoom: false,
    // A visitor's data is not sent anywhere.
    modeBarButtonsToRemove: ["toImage", "autoScale2d", "sendChartToCloud"]});
  box.setAttribute("role", "group"); // role=img could hold no buttons
  box.setAttribute("aria-label", words);
  for (const name of ["plotly_selected", "plotly_click"]) box.removeAllListeners(name);
  box.on("plotly_click", ({points}) => change({row: points[0].customdata}));
  box.on("plotly_selected", (chosen) => {
    const points = chosen?.lassoPoints, range = chosen?.range;
    const polygon = points ? points.x.map((x, at) => [x, points.y[at]])
      : range && [[range.x[0], range.y[0]], [range.x[1], range.y[0]], [range.x[1], range.y[1]], [range.x[0], range.y[1]]];
    if (polygon?.length > 2) act({do: "select", polygon: thin(polygon, 300)});
  });
}
const thin = (points, most) => points.filter((_, at) => at % Math.ceil(points.length / most) === 0)
  .map((point) => point.map((value) => Number(value.toPrecision(6))));

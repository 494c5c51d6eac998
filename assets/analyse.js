// The explorer of the tab "Analyse". What is looked at is one object, `view`; every press changes it
// and asks the server for the parts it touches, which come back as HTML. Nothing is decided here:
// the attributes of what was drawn say what a press means.
//
//   data-view    JSON that is laid over the view         data-row    a row for the glass
//   data-add     JSON: conditions that are added         data-drop   number of a condition to drop
//   data-query   JSON: another query altogether          data-act    JSON: something to be done
//   data-bind    a box whose text is part of the view    data-name   a value that goes with data-act
const KEY = "symdemo-analysis";
const WAIT = 300; // milliseconds without a key after which the server is asked
const root = element.querySelector(".analyse");
const EMPTY = {analysis: "", model: "", versus: "", part: "overview", text: "", regex: false, query: {},
  page: 0, row: null, pinned: null, adding: "", kind: "pca", colour: "label"};
let view = null, number = 0, typing = null, again = null, shared = "";

const part = (name) => root.querySelector(`[data-part="${name}"]`);
const parse = (text) => { try { return JSON.parse(text); } catch { return null; } };

// Keeping: this window's own analysis first, then the last one of this browser.
function remembered() {
  for (const store of [() => sessionStorage, () => localStorage]) {
    try { const found = parse(store().getItem(KEY)); if (found?.analysis) return found; }
    catch { /* it keeps nothing */ }
  }
  return null;
}
function keep() {
  const text = JSON.stringify(view ? {...view, shared} : {});
  for (const store of [() => sessionStorage, () => localStorage])
    try { store().setItem(KEY, text); } catch { /* it keeps nothing */ }
}

// Asking. Only the latest answer counts; what was typed since stays.
async function call(name, body) {
  try { return await server[name](JSON.stringify(body)); }
  catch { return {problem: "No answer came; check the connection and try again."}; }
}
async function look(parts) {
  const mine = parts ? number : ++number;
  if (!parts?.length) clearTimeout(again);
  if (!parts) root.setAttribute("aria-busy", "true");
  const found = await call("analyse_look", {view, parts: parts || null});
  if (mine === number) settle(found);
}
async function act(action) {
  clearTimeout(typing);
  const mine = ++number;
  root.setAttribute("aria-busy", "true");
  const found = await call("analyse_act", {view, action});
  if (mine === number) settle(found);
}
function settle(found) {
  root.removeAttribute("aria-busy");
  if (found.view) Object.assign(view, found.view);
  if (found.gone) { view = null; keep(); root.hidden = true; return; }
  root.hidden = false;
  if (found.shared !== undefined) shared = found.shared;
  for (const [name, html] of Object.entries(found.parts || {})) place(name, html);
  say(found.problem || "", found.said || "");
  if (found.map) drawMap(found.map);
  if (found.download) download(found.download);
  if (found.copy !== undefined) copyLink();
  if (found.teach) window.symdemo?.teachMany?.(found.teach);
  if (found.show) part(found.show)?.scrollIntoView({behavior: "smooth", block: "nearest"});
  if (found.then?.length) look(found.then);
  if (found.again && element.isConnected)
    again = setTimeout(() => look(document.hidden ? [] : null), found.again);
  if (view) { keep(); address(); }
}
function place(name, html) {
  const box = part(name);
  if (!box || box.drawn === html) return;
  const held = box.contains(document.activeElement) ? document.activeElement : null;
  const key = held?.dataset.key, range = held && [held.selectionStart, held.selectionEnd];
  const typed = held?.value;
  const open = [...box.querySelectorAll("details[open]")].map((one) => one.dataset.key);
  const left = box.querySelector(".scroll")?.scrollLeft;
  box.innerHTML = html; // drawn by templates that escape every value
  box.drawn = html;
  for (const one of box.querySelectorAll("details"))
    if (one.dataset.key && open.includes(one.dataset.key)) one.open = true;
  if (left) box.querySelector(".scroll")?.scrollTo({left});
  const same = key && box.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (same) {
    same.focus({preventScroll: true});
    if (typed !== undefined && same.matches("input[type=text], textarea")) {
      same.value = typed;
      same.setSelectionRange?.(...range);
    }
  }
}
function say(problem, said) {
  const box = part("said");
  box.replaceChildren();
  if (!problem && !said) return;
  const line = document.createElement("p");
  line.textContent = problem || said;
  line.className = problem ? "an-problem" : "an-said";
  line.setAttribute("role", problem ? "alert" : "status");
  box.append(line);
}

// The view
function change(patch) {
  view = {...view, ...patch, query: {...(patch.query || view.query)}};
  if (["query", "text", "regex", "model", "versus"].some((name) => name in patch)) view.page = 0;
  fill();
  look();
}
const conditions = () => view.query.conditions || [];
function add(more) {
  const known = conditions().map((one) => JSON.stringify(one));
  const fresh = more.filter((one) => !known.includes(JSON.stringify(one)));
  change({adding: "", query: {...view.query, conditions: [...conditions(), ...fresh]}});
}
function fill() { // the boxes that stay on the page say what the view says
  for (const box of root.querySelectorAll("[data-static] [data-bind]")) {
    const value = view[box.dataset.bind];
    if (box.type === "checkbox") box.checked = Boolean(value);
    else if (document.activeElement !== box) box.value = value || "";
  }
  for (const button of root.querySelectorAll(".an-part"))
    if (button.id === `analyse-${view.part}`) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
}

// The address says what is seen, without the secret that opens the data: built-in sets come by name.
function address() {
  const {analysis, ...rest} = view;
  const plain = Object.fromEntries(Object.entries(rest).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(EMPTY[name])));
  window.symdemo?.remember?.({analysis: shared, seen: Object.keys(plain).length
    ? btoa(unescape(encodeURIComponent(JSON.stringify(plain)))) : ""});
}
function fromAddress() {
  const here = new URLSearchParams(location.search);
  const seen = here.get("seen");
  let plain = {};
  try { plain = seen ? parse(decodeURIComponent(escape(atob(seen)))) || {} : {}; } catch { /* none */ }
  return {analysis: here.get("analysis") || "", seen: plain};
}
async function copyLink() {
  try { await navigator.clipboard.writeText(window.symdemo?.link?.() || location.href);
    say("", "The link is copied.");
  } catch { say("", "Copy the address of this page: it is the link."); }
}
function download({path, name}) {
  const config = window.gradio_config || {};
  const link = Object.assign(document.createElement("a"), {download: name,
    href: `${config.root || ""}${config.api_prefix || "/gradio_api"}/file=${path}`});
  document.body.append(link);
  link.click();
  link.remove();
}

// Presses
root.addEventListener("click", (event) => {
  const pressed = event.target.closest("[data-view], [data-add], [data-drop], [data-query], [data-row], [data-act]");
  if (!pressed || pressed.matches("select, input") || pressed.disabled) return;
  const data = pressed.dataset;
  if (data.row !== undefined) change({row: data.row === "" ? null : Number(data.row)});
  else if (data.view) change(parse(data.view));
  else if (data.add) add(parse(data.add));
  else if (data.query) change({query: parse(data.query), text: "", regex: false, part: "rows"});
  else if (data.drop !== undefined)
    change({query: {...view.query, conditions: conditions().filter((_, at) => at !== Number(data.drop))}});
  else if (data.act) act({...parse(data.act), ...named(pressed)});
});
function named(pressed) { // what stands in the boxes beside a press
  const around = pressed.closest("[data-form]");
  const found = {};
  for (const box of around?.querySelectorAll("[data-name]") || [])
    found[box.dataset.name] = box.type === "checkbox" ? box.checked : box.value;
  return found;
}
root.addEventListener("input", (event) => {
  const box = event.target, name = box.dataset.bind;
  if (!name || box.matches("select, [type=checkbox]")) return;
  view[name] = box.value;
  view.page = 0;
  clearTimeout(typing);
  typing = setTimeout(() => look(), WAIT);
});
root.addEventListener("change", (event) => {
  const box = event.target;
  if (box.dataset.bind && box.matches("select, [type=checkbox]"))
    change({[box.dataset.bind]: box.type === "checkbox" ? box.checked : box.value});
  else if (box.matches("select[data-act], input[data-act]"))
    act({...parse(box.dataset.act), ...named(box), value: box.type === "checkbox" ? box.checked : box.value});
});
root.addEventListener("keydown", (event) => {
  const box = event.target;
  if (event.key === "Enter" && box.matches("[data-form] input")) {
    event.preventDefault();
    box.closest("[data-form]").querySelector("[data-enter]")?.click();
  }
  if (event.key === "Escape" && view?.row !== null && !box.matches("input, textarea")) change({row: null});
});

// The map
let plotly = null;
function loadPlotly() {
  const config = window.gradio_config || {};
  plotly ??= window.Plotly ? Promise.resolve(window.Plotly) : new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = `${config.root || ""}${config.api_prefix || "/gradio_api"}/file=${props.plotly}`;
    script.onload = () => done(window.Plotly);
    script.onerror = () => { plotly = null; failed(); };
    document.head.append(script);
  });
  return plotly;
}
const hasWebgl = () => Boolean(document.createElement("canvas").getContext("webgl"));
async function drawMap({traces, words}) {
  const box = root.querySelector(".an-map");
  if (!box) return;
  let library;
  try { library = await loadPlotly(); } catch { say("The map could not be drawn; try again."); return; }
  const style = getComputedStyle(root);
  const soft = style.getPropertyValue("--text-soft").trim(), colour = (name) => style.getPropertyValue(`--${name}`).trim();
  const kind = traces.reduce((sum, one) => sum + one.x.length, 0) > 2000 && hasWebgl() ? "scattergl" : "scatter";
  const drawn = traces.map((one) => ({type: kind, mode: "markers", name: one.name, x: one.x, y: one.y,
    text: one.text, customdata: one.rows, hovertemplate: "%{text}<extra>%{fullData.name}</extra>",
    marker: {size: one.big ? 9 : 6, opacity: one.faint ? 0.25 : 0.8,
      color: one.colour.startsWith("#") ? one.colour : colour(one.colour), symbol: one.symbol,
      line: {width: one.big ? 1 : 0, color: colour("text")}}}));
  const axis = {showticklabels: false, zeroline: false, gridcolor: "rgba(138,143,152,0.2)"};
  const layout = {height: 460, margin: {l: 10, r: 10, t: 10, b: 10}, dragmode: "lasso", hovermode: "closest",
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", font: {color: soft, size: 13},
    legend: {orientation: "h", y: -0.02}, modebar: {bgcolor: "rgba(0,0,0,0)", color: soft, activecolor: colour("text")}, xaxis: axis, yaxis: {...axis, scaleanchor: "x"}};
  await library.react(box, drawn, layout, {responsive: true, displaylogo: false, scrollZoom: false,
    modeBarButtonsToRemove: ["toImage", "autoScale2d"]});
  box.setAttribute("role", "img");
  box.setAttribute("aria-label", words);
  box.removeAllListeners?.("plotly_selected");
  box.removeAllListeners?.("plotly_click");
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

// Opening
function open(found) {
  view = {...EMPTY, ...found};
  fill();
  look();
}
function given() { // the server opened one: because a visitor pressed, or because a link asked for it
  const value = parse(props.value || "{}") || {};
  if (value.analysis) open({analysis: value.analysis, ...(value.seen || {})});
}
watch("value", given);
const linked = fromAddress(), kept = remembered();
(async () => {
  if (kept && (!linked.analysis || linked.analysis === kept.shared)) {
    open({...kept, ...linked.seen});
  } else if (linked.analysis) {
    const found = await call("analyse_open", {shared: linked.analysis});
    if (found.analysis) open({analysis: found.analysis, ...linked.seen});
    else if (kept) open(kept);
    else if (found.problem) { root.hidden = false; say(found.problem); }
  } else if (kept) open(kept);
})();

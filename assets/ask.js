// How the tab "Try it" sends a question and takes in its answer.
//
// The button, Enter, an example, a chosen swap, tapped words and a link all call ask() below: it
// writes one question with a running number, and one event sends it. The server makes the swap
// itself, so the verdict never depends on which box was written last.
const WAITING = "verdict--asked"; // on the page while the answer is on its way
const HUB = "https://huggingface.co";
const PATIENCE = 30000; // milliseconds after which an answer has failed
const FIRST_PATIENCE = 180000; // for the first answer, which may have to load the model
let timer = null, answered = false;
let number = 0, last = null;
let model = null, answeredBy = null; // names of models
let filled = []; // what the boxes of the three parts were last given
let own = false; // whether the page opened with a project
let given = {}; // what the boxes of the two sentences were last given together
const address = new URLSearchParams(location.search); // as the page was opened with
let wanted = address.get("model"); // until the list of models has come
let here = address; // the address as it was last seen
const SHARED = {try: ["sentence", "swapped", "model"], analyse: ["analysis", "seen"],
  sentences: ["first", "second"], benchmark: ["encoder", "charts"]}; // what of the address a tab's link has
const differ = (one, two, names) => names.some((name) => one.get(name) !== two.get(name));
// Return a parameter of an address; control characters are nothing that could be asked.
const named = (name, where = address) => (where.get(name) || "").replace(/\p{Cc}+/gu, " ").trim();

const api = {
  ask(question) {
    number += 1;
    last = {...question, first: false};
    document.getElementById("verdict")?.classList.add(WAITING);
    // A phone's keyboard would hide the answer.
    if (matchMedia("(pointer: coarse)").matches) document.activeElement?.blur();
    props.value = JSON.stringify({...question, number});
    clearTimeout(timer);
    const patience = answered ? PATIENCE : FIRST_PATIENCE;
    timer = setTimeout(() => trigger("clear"), navigator.onLine ? patience : 0);
    if (navigator.onLine) trigger("input");
  },
  // Ask about both boxes; an empty second one means the swap.
  check(sentence, hypothesis) {
    api.ask({sentence, hypothesis: stale(sentence, hypothesis) ? "" : hypothesis});
  },
  // Ask the same question again, of another model or with another number of examples.
  again(chosen) {
    model = chosen || model;
    if (last) api.ask({...last, again: true});
  },
  // Take in an answer: return the values of the boxes. What was typed since then stays, and so
  // does everything if another question is already on its way.
  settle(answer, sentence, hypothesis, ...parts) {
    const found = JSON.parse(answer || "{}");
    if (found.number !== number) return [sentence, hypothesis, ...parts];
    rest();
    answered = true;
    say(found.said || "");
    if (found.fill) {
      given = {sentence: found.sentence, hypothesis: found.second};
      [sentence, hypothesis] = [found.sentence, found.second];
    } else if (stale(sentence, hypothesis)) hypothesis = "";
    const same = (sentence || "").trim().replace(/\s+/g, " ") === found.sentence;
    if (same && found.guess) parts = parts.map((typed, box) => {
      const own = typed && typed !== filled[box]; // the visitor wrote it, or is writing
      return own ? typed : found.guess[box];
    });
    filled = parts;
    show(found);
    if (!found.error) {
      api.remember({sentence: found.sentence, swapped: found.own ? found.hypothesis : "",
        model: found.model}, !found.first);
      answeredBy = found.model;
      if (!document.getElementById("first")) setTimeout(exchange, 0); // that one is long seen
      if (!found.which) api.listeners.forEach((listen) => listen(found));
      if (document.querySelector("#pictures .label-wrap.open")) trigger("select");
      if (model && found.model !== model) { // the choice of models came after the question
        model = null;
        api.ask(last);
      }
    }
    return [sentence, hypothesis, ...parts];
  },
  failed(problem) {
    rest();
    return [problem, "", "", "", "", ""]; // nothing of the last answer stays
  },
  // Keep the address in step, so that a link or a reload shows the same. With `step`, another tab
  // or question is a step in the browser's history.
  remember(values, step = false) {
    const next = new URL(location.href);
    for (const [name, value] of Object.entries(values)) {
      if (value) next.searchParams.set(name, value);
      else next.searchParams.delete(name);
    }
    if (next.href === location.href) return;
    step &&= differ(here, next.searchParams, ["tab", "sentence", "swapped"]);
    history[step ? "pushState" : "replaceState"](history.state, "", next);
    here = next.searchParams;
    const {space, queryString, hash} = api.standing();
    // The page around a Space copies them, so that its address is the link.
    if (space) window.parent.postMessage({queryString, hash}, HUB);
  },
  // Return the Space in whose page the app is framed, if any, and the parts of the address to share:
  // the open tab and what it shows. __sign opens a private Space, __theme is a taste.
  standing(where = {}) {
    const {href, referrer, framed, id} = {href: location.href, referrer: document.referrer,
      framed: window.parent !== window, id: window.gradio_config?.space_id, ...where};
    const here = new URL(href), own = SHARED[here.searchParams.get("tab") || "try"] || [];
    for (const name of [...here.searchParams.keys()])
      if (!["tab", ...own].includes(name)) here.searchParams.delete(name);
    const [, named] = referrer.match(/^https:\/\/huggingface\.co\/spaces\/([^/?#]+\/[^/?#]+)/) || [];
    // Only a host with a single hyphen shows where the owner's name ends.
    const [, owner, name] = here.hostname.match(/^([^.-]+)-([^.-]+)\.hf\.space$/) || [];
    const inHub = framed && referrer.startsWith(`${HUB}/`) && here.hostname.endsWith(".hf.space");
    const space = inHub ? id || named || (owner ? `${owner}/${name}` : "") : "";
    return {here, space, queryString: here.search.slice(1), hash: here.hash};
  },
  // Return the address to share.
  link(where) {
    const {here, space} = api.standing(where);
    return space ? `${HUB}/spaces/${space}${here.search}${here.hash}` : here.href;
  },
  // Do what the address asks for as the page opens; return the values of the boxes. The page brings
  // the answer to its own first sentence, unless the server has just started.
  start(answer, sentence, hypothesis, ...parts) {
    const tab = address.get("tab"), shared = named("sentence"), typed = sessionStorage.symdemoTyped;
    if (tab) api.open(tab);
    setTimeout(uncover, 0);
    delete sessionStorage.symdemoTyped;
    given = {sentence: shared || sentence, hypothesis: named("swapped")};
    last = {...given, first: false};
    if (answer && !shared && !given.hypothesis)
      return api.settle(answer, typed || sentence, "", ...parts);
    api.ask({...given, first: true});
    return [typed || given.sentence, given.hypothesis, ...parts];
  },
  // Compare the pair of a link to the Lab; return the values of its boxes.
  compare(first, second) {
    if (!named("first")) return [first, second];
    api.when("#lab-compare", (button) => button.click());
    return [named("first"), named("second")];
  },
  open(tab) {
    document.getElementById(`tab-${tab}-button`)?.click();
    scrollTo({top: 0});
  },
  wanted: () => wanted || "",
  // Return stamps if the server has to list models for this page, and to open its project.
  knows(project) {
    own = Boolean(project && project !== "none");
    const stamp = String(Date.now());
    return [wanted || own ? stamp : undefined, own ? stamp : undefined];
  },
  // The list of models has come, with the one to choose.
  offered(chosen) {
    model = chosen;
    wanted = null;
    // The answer shown may be from the version in use before.
    if (answeredBy) setTimeout(answeredBy === model ? rest : api.again, 0);
    return model;
  },
  rest,
};

// Another tab has begun a project, and this one has none and no rows: take up that project.
window.addEventListener("storage", ({key}) => {
  const rows = document.querySelectorAll("#teach-grid [data-at], #pasted textarea");
  const written = [...rows].some((box) => box.value);
  const busy = own || written || document.hasFocus() || sessionStorage.symdemoJoined;
  if (key !== "symdemo-project" || busy) return;
  sessionStorage.symdemoJoined = "once";
  sessionStorage.symdemoTyped = document.querySelector("#sentence textarea")?.value || "";
  location.reload();
});

window.addEventListener("popstate", () => { // back or forward: show what was asked there
  const old = here;
  here = new URLSearchParams(location.search);
  api.open(here.get("tab") || "try");
  const [sentence, hypothesis] = ["sentence", "swapped"].map((name) => named(name, here));
  if (sentence && differ(old, here, ["sentence", "swapped"]))
    api.ask({sentence, hypothesis, fill: true, first: true});
});

// One live region for the whole visit: a region drawn again with the verdict is often not read.
const live = document.createElement("p");
live.className = "visually-hidden";
live.setAttribute("role", "status");
document.body.append(live);
function say(text) {
  live.textContent = "";
  setTimeout(() => { live.textContent = text; }, 50);
}

function rest() { // an answer has come, or has failed
  clearTimeout(timer);
  document.getElementById("verdict")?.classList.remove(WAITING);
}

// A second sentence that was filled in belongs to its first one alone.
function stale(sentence, hypothesis) {
  return hypothesis === given.hypothesis && sentence !== given.sentence;
}

// Scroll the verdict, or the problem, into view.
function show(found) {
  if (found.first) return;
  const box = document.getElementById(found.error ? "problem" : "verdict").getBoundingClientRect();
  if (box.top < 0 || box.top > innerHeight * 2 / 3)
    scrollBy({top: box.top - 16, behavior: "smooth"});
}

// Take the picture of the first view away (first.js), once the page below it stands.
function uncover() {
  const first = document.getElementById("first");
  const drawn = ["#sentence textarea", "#check", "#verdict .verdict__word, #problem .problem", "#more button"]
    .every((part) => document.querySelector(part)?.offsetHeight);
  if (!first || drawn || here.get("tab")) first?.remove();
  else setTimeout(uncover, 50);
}

// Move the two things from their places in the first sentence to those in the second.
function exchange() {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const sentences = [...document.querySelectorAll("#verdict .sentence")];
  for (const role of ["subject", "object"]) {
    const parts = sentences.map((sentence) => sentence.querySelector(`.part--${role}`));
    if (!parts[0] || !parts[1]) continue;
    const [from, to] = parts.map((part) => part.getBoundingClientRect());
    parts[1].animate([{transform: `translate(${from.x - to.x}px, ${from.y - to.y}px)`}, {}],
      {duration: 900, easing: "cubic-bezier(0.6, 0, 0.2, 1)"});
  }
}
async function copy(button) {
  const own = document.querySelector("[data-key=link]"); // an open analysis has a name of its own
  if (own?.offsetParent) return own.click();
  try {
    await navigator.clipboard.writeText(api.link());
  } catch { // not allowed in a frame, or without https
    prompt("Copy this link:", api.link());
    return;
  }
  say(button.textContent = "Link copied");
  setTimeout(() => { button.textContent = "Copy link"; }, 2000);
}

// Words are tapped for one argument, then for the other; tapping a word again deselects it. A word
// beside an argument joins it, and so do words between two of its own.
function places(words, argument) {
  const at = words.flatMap((word, place) => (word.dataset.argument === argument ? [place] : []));
  return at.length ? [Math.min(...at), Math.max(...at) + 1] : null;
}
function argumentFor(words, place) {
  const [one, two] = ["one", "two"].map((argument) => places(words, argument));
  // A word right beside the only argument joins it; any other begins the one that is missing.
  const away = (range) => range
    ? Math.min(Math.abs(place - range[0]), Math.abs(place + 1 - range[1])) : 1.5;
  return away(one) <= away(two) ? "one" : "two";
}
function tap(word) {
  const words = [...word.parentElement.querySelectorAll(".word")];
  word.dataset.argument = word.dataset.argument ? "" : argumentFor(words, words.indexOf(word));
  const range = word.dataset.argument && places(words, word.dataset.argument);
  if (range) words.slice(...range).forEach((inner) => { inner.dataset.argument = word.dataset.argument; });
  for (const each of words) {
    const name = {one: ", subject", two: ", object"}[each.dataset.argument] || "";
    each.setAttribute("aria-pressed", String(Boolean(name)));
    each.setAttribute("aria-label", each.textContent + name);
  }
}
document.addEventListener("click", (event) => {
  const tab = event.target.closest("[data-tab]");
  if (tab) api.open(tab.dataset.tab);
  const asking = event.target.closest("[data-ask]"); // with another tab, it is one step
  if (asking) api.ask({...JSON.parse(asking.dataset.ask), first: Boolean(tab)});
  const word = event.target.closest(".word");
  if (word) tap(word);
  const swapping = event.target.closest("[data-swap-words]");
  if (swapping) {
    const words = [...swapping.closest(".words").querySelectorAll(".word")];
    const [one, two] = ["one", "two"].map((argument) => places(words, argument));
    api.ask({sentence: words.map((each) => each.textContent).join(" "), one, two});
  }
  const teaching = event.target.closest("[data-teach]");
  if (teaching) {
    document.getElementById("verdict")?.classList.add(WAITING);
    api.teach(JSON.parse(teaching.dataset.teach));
  }
  const copying = event.target.closest("[data-copy]");
  if (copying) copy(copying);
});
window.symdemo = Object.assign(api, window.symdemo); // the scripts of other parts may come first

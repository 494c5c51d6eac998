// Paint the first view of "Try it" as soon as the page's HTML has come, seconds before Gradio has
// drawn the page: a picture of what the page's own configuration says, which ask.js takes away. It
// can be neither pressed nor read aloud, and lies where Gradio puts the same parts.
(() => {
  const config = window.gradio_config;
  const parts = config.components.map(({type, props}) => ({type, ...props}));
  const value = (id) => parts.find((part) => part.elem_id === id)?.value ?? "";
  const asked = [...new URLSearchParams(location.search)];
  // __sign opens a private Space, __theme is a taste; all else asks for another view.
  if (!value("answer") || asked.some(([name]) => !name.startsWith("__"))) return;
  if (sessionStorage.symdemoTyped) return; // ask.js puts what was typed in place of the sentence
  const [, theme] = asked.find(([name]) => name === "__theme") || [];
  const dark = theme === "dark" || (theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.body.classList.toggle("dark", dark); // as Gradio will

  const make = (parent, name, properties) => parent.appendChild(
    Object.assign(document.createElement(name), properties));
  const show = (parent, id) => make(parent, "div", {className: "html-container", innerHTML: value(id)});
  const first = make(document.body, "div", {id: "first", inert: true,
    className: `gradio-container gradio-container-${config.version.replaceAll(".", "-")}`});
  // As Gradio does: each rule as it stands, and again for what is inside.
  make(first, "style", {textContent: `${config.css} #first {${config.css}}`});
  show(first, "masthead");
  const tabs = make(first, "div", {className: "tab-container first__tabs"});
  for (const {label} of parts.filter(({type}) => type === "tabitem"))
    make(tabs, "button", {textContent: label});
  const view = make(first, "div", {className: "try"});
  const ask = make(view, "div", {className: "ask"});
  make(ask, "p", {className: "first__sentence", textContent: value("sentence")});
  make(ask, "button", {className: "first__check", textContent: value("check")});
  show(make(view, "div", {className: "examples"}), "examples");
  for (const id of ["verdict", "words", "why", "about-line"]) show(view, id);
  make(view, "p", {className: "first__more", textContent: parts.find(({elem_id}) => elem_id === "more").label});
  setTimeout(() => first.remove(), 120000); // the scripts did not come: show what there is
})();

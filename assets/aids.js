// What buttons do in the page itself, messages that can be closed, and names that Gradio does not
// give, for those who hear the page or go through it by keyboard: whether an accordion is open, and
// what a picture shows. Gradio has no setting for either and draws its parts anew at will, so they
// are set from here, again after every change of the page.
(() => {
  const give = (element, name, value) => {
    if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  };

  let asked = 0;
  const nameAll = () => {
    asked = 0;
    // An accordion is a button with an arrow in it, which would be read out as a triangle.
    for (const button of document.querySelectorAll("button.label-wrap")) {
      give(button, "aria-expanded", String(button.classList.contains("open")));
      for (const arrow of button.querySelectorAll(".icon")) give(arrow, "aria-hidden", "true");
    }
    // A picture is one image with a name, described by the words of symdemo/ui/shared/figures.py.
    for (const words of document.querySelectorAll("[data-describes]")) {
      const picture = document.querySelector(`#${words.dataset.describes} .js-plotly-plot`);
      if (!picture) continue;
      give(picture, "role", "img");
      give(picture, "aria-label", words.dataset.name);
      give(picture, "aria-describedby", words.id);
    }
  };
  const soon = () => { asked ||= requestAnimationFrame(nameAll); };
  new MutationObserver(soon).observe(document.documentElement, {
    subtree: true, childList: true, attributes: true, attributeFilter: ["class", "data-name"],
  });
  soon();
  document.addEventListener("click", (event) => {
    if (event.target.matches?.(".said__close")) event.target.closest(".said").remove();
  });

  window.symdemo = {
    listeners: [], // called with each answer of “Try it”
    make(kind, properties, ...children) { // an element
      const made = Object.assign(document.createElement(kind), properties);
      made.append(...children);
      return made;
    },
    // Call a function with an element of the page as soon as it is shown.
    when(selector, act) {
      const found = document.querySelector(selector);
      if (found?.offsetParent) act(found);
      else setTimeout(() => symdemo.when(selector, act), 100);
    },
    // Save a packed file, so that one press is enough.
    save(file) {
      if (!file) return;
      const link = symdemo.make("a", {href: file.url, download: file.orig_name});
      document.body.append(link);
      link.click();
      link.remove();
    },
    // Put the answer to a question into the first input, a hidden box. Nothing is asked if the last
    // input names nothing that could be lost or opened: then the server says so.
    askFirst(question, sure, ...others) {
      const nothing = ["", "base", "none"].includes(others.at(-1) ?? "");
      return [nothing || window.confirm(question), ...others];
    },
  };
})();

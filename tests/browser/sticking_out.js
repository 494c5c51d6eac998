const fits = e => e.getBoundingClientRect().right <= innerWidth + 1;
const scrolls = e => e && e !== document.body && (fits(e) &&
  /auto|scroll/.test(getComputedStyle(e).overflowX) || scrolls(e.parentElement));
return [...document.querySelectorAll(
  "header, .card, .block, button, .grid-frame, .grid [data-at], .main-svg")]
  .filter(e => !fits(e) && !scrolls(e.parentElement)).map(e => e.outerHTML);

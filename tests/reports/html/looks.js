// What a person sees of a page, for test_browser.py.

// Middle of the marks, ends of the intervals, the line of no cost and the band, in pixels of the screen.
function places() {
  return [...document.querySelectorAll('details.aside svg.interval')].map(svg => {
    const box = name => svg.querySelector(name).getBoundingClientRect();
    const band = box('.band'), zero = box('.zero'), ends = box('.reach');
    return {margin: band.width, zero: zero.x + zero.width / 2, low: ends.left, high: ends.right,
            point: svg.getBoundingClientRect().x + svg.querySelector('.mark').getCTM().e};
  });
}

// The lowest contrast between text and what is behind it (WCAG 2.2, 1.4.3 asks for 4.5).
function contrast() {
  const luminance = colour => {
    const [r, g, b] = colour.match(/[\d.]+/g).map(x => x / 255).map(
      x => x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = element => {
    const step = element.parentElement.querySelector(':scope > .step');  // a digit stands on its step
    if (step) return getComputedStyle(step).fill;
    for (let parent = element; parent; parent = parent.parentElement) {
      const colour = getComputedStyle(parent).backgroundColor;
      if (!/, 0\)$/.test(colour)) return colour;
    }
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let lowest = 21;
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || element.tagName === 'title') continue;
    const style = getComputedStyle(element);
    const colour = element instanceof SVGElement ? style.fill : style.color;
    const [one, other] = [luminance(colour), luminance(behind(element))];
    lowest = Math.min(lowest, (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05));
  }
  return lowest;
}

// Illegible cells: many words in the width of a few letters.
function squeezed() {
  return [...document.querySelectorAll('td, th')]
    .filter(cell => cell.checkVisibility() && !cell.closest('thead') && cell.innerText.trim().length > 30)
    .filter(cell => cell.getBoundingClientRect().width < 90).map(cell => cell.innerText);
}

function unfold() {
  document.querySelectorAll('details').forEach(details => details.open = true);
}

// Evaluated in the page. Returns what is wrong: names, roles, headings, landmarks, contrast.
(() => {
  const wrong = [];
  const shown = element => element.checkVisibility({opacityProperty: true, visibilityProperty: true}) && !element.closest('.visually-hidden, .skip, [aria-hidden="true"]');
  const describe = element => `<${element.tagName.toLowerCase()}${element.id && ' id=' + element.id}${typeof element.className === 'string' && element.className && ' class="' + element.className + '"'}> "${(element.textContent || '').trim().slice(0, 40)}"`;
  const name = element => (element.getAttribute('aria-label') || element.textContent || element.getAttribute('alt') || element.title || '').trim() ||
    (element.labels && [...element.labels].map(label => label.textContent).join('').trim()) || '';

  if (!document.documentElement.lang) wrong.push('the document has no language');
  if (!document.title) wrong.push('the document has no title');
  for (const landmark of ['header', 'nav', 'main', '[role="search"]']) {
    if (!document.querySelector(landmark)) wrong.push(`there is no ${landmark}`);
  }
  if (document.querySelectorAll('h1').length !== 1) wrong.push(`there are ${document.querySelectorAll('h1').length} h1`);
  let level = 0;
  for (const heading of document.querySelectorAll('h1, h2, h3, h4')) {
    const next = Number(heading.tagName[1]);
    if (next > level + 1) wrong.push(`a heading skips a level: ${describe(heading)}`);
    level = next;
  }
  for (const element of document.querySelectorAll('a, button, input, select, [role="img"], [role="table"], [role="group"]')) {
    if (shown(element) && !name(element)) wrong.push(`no name: ${describe(element)}`);
  }
  for (const image of document.querySelectorAll('img:not([alt])')) wrong.push(`no alt: ${describe(image)}`);
  const ids = new Set();
  for (const element of document.querySelectorAll('[id]')) {
    if (ids.has(element.id)) wrong.push(`the id ${element.id} occurs twice`);
    ids.add(element.id);
  }
  for (const element of document.querySelectorAll('[aria-labelledby], [aria-describedby]')) {
    for (const attribute of ['aria-labelledby', 'aria-describedby']) {
      const id = element.getAttribute(attribute);
      if (id && !document.getElementById(id)) wrong.push(`${attribute} of ${describe(element)} names nothing`);
    }
  }

  const parse = text => {
    const [r, g, b, a = 1] = (text.match(/[\d.]+/g) || [0, 0, 0, 0]).map(Number);
    return {r, g, b, a};
  };
  const over = (top, under) => ({r: top.r * top.a + under.r * (1 - top.a), g: top.g * top.a + under.g * (1 - top.a), b: top.b * top.a + under.b * (1 - top.a), a: 1});
  const background = element => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) layers.push(parse(getComputedStyle(at).backgroundColor));
    return layers.reverse().reduce((under, layer) => over(layer, under), {r: 255, g: 255, b: 255, a: 1});
  };
  const luminance = ({r, g, b}) => {
    const part = value => { value /= 255; return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4; };
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const seen = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || seen.has(element) || !shown(element) || element.closest('noscript, svg, option')) continue;
    seen.add(element);
    const style = getComputedStyle(element), behind = background(element);
    const front = over(parse(style.color), behind);
    const [a, b] = [luminance(front), luminance(behind)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05), size = parseFloat(style.fontSize);
    const needed = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    if (ratio < needed) wrong.push(`contrast ${ratio.toFixed(2)} < ${needed}: ${describe(element)}`);
  }
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  if (wide > 1) wrong.push(`the page is ${wide} px wider than the window`);
  return wrong;
})()

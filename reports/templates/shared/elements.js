// Creates elements of the page, and reads the data that it embeds.

const SVG = "http://www.w3.org/2000/svg";

/** Create an element with a class, a role and children. */
export function element(tag, kind = "", role = "", ...children) {
  const made = document.createElement(tag);
  if (kind) made.className = kind;
  if (role) made.setAttribute("role", role);
  made.append(...children);
  return made;
}

/** An element of the page, with what works on its parts. */
export class Panel {
  constructor(place) {
    this.place = place;
  }

  part(name) {
    return this.place.querySelector(`.${name}`);
  }

  button(name) {
    return this.place.querySelector(`[data-do=${name}]`);
  }
}

/** Create a button with a class and children. */
export function button(kind, ...children) {
  const made = element("button", kind, "", ...children);
  made.type = "button";
  return made;
}

/** Create a link with a class and children. */
export function linkTo(address, kind, ...children) {
  const link = element("a", kind, "", ...children);
  link.href = address;
  return link;
}

/** Call `act` with the value of `data-name` of each button of a box that has it, when it is clicked. */
export function onClick(box, name, act) {
  for (const each of box.querySelectorAll(`[data-${name}]`)) each.addEventListener("click", () => act(each.dataset[name]));
}

/** Create an element of a drawing. */
export function svg(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** Offer a text or bytes as a download. */
export function downloadFile(content, name, type = "") {
  const link = element("a");
  Object.assign(link, { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Copy a text; return whether the browser allows it. */
export async function copyText(text) {
  return navigator.clipboard?.writeText(text).then(() => true, () => false);
}

/** The value of an element's text, JSON. */
export function readJson(id) {
  return JSON.parse(document.getElementById(id).textContent);
}

/** Inflate an element's text to text. */
export async function inflateText(element) {
  return new TextDecoder().decode(await inflate(element));
}

/** Inflate an element's text, base64 of zlib's format; returns a promise of an ArrayBuffer. */
export function inflate(element) {
  const text = atob(element.textContent);
  const bytes = new Uint8Array(text.length);
  for (let k = 0; k < text.length; k++) bytes[k] = text.charCodeAt(k);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
}

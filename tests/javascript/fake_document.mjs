// A document whose elements only keep what they are given: enough for scripts that build drawings and lists.

class FakeElement {
  constructor(tag) {
    Object.assign(this, { tag, attributes: {}, children: [], dataset: {}, style: new FakeStyle() });
  }

  set className(name) {
    this.setAttribute("class", name);
  }

  get className() {
    return this.attributes.class ?? "";
  }

  setAttribute(name, value) {
    this.attributes[name] = String(value);
  }

  getAttribute(name) {
    return this.attributes[name] ?? null;
  }

  append(...children) {
    this.children.push(...children);
  }

  replaceChildren(...children) {
    this.children = children;
  }

  get firstChild() {
    return this.children[0] ?? null;
  }

  get lastChild() {
    return this.children.at(-1) ?? null;
  }

  get textContent() {
    return this.children.map((child) => child.textContent ?? child).join("");
  }

  set textContent(text) {
    this.children = text === "" ? [] : [text];
  }

  /** Descendants in document order that a class (".name") or a tag selects. */
  querySelectorAll(selector) {
    return this.children.flatMap((child) => (
      child instanceof FakeElement ? [...(child.matches(selector) ? [child] : []), ...child.querySelectorAll(selector)] : []
    ));
  }

  querySelector(selector) {
    return this.querySelectorAll(selector)[0] ?? null;
  }

  matches(selector) {
    return selector.startsWith(".") ? this.className.split(" ").includes(selector.slice(1)) : this.tag === selector;
  }

  /** The 2D context of a canvas; `painted` is the last image that was put on it. */
  getContext() {
    const image = (width, height) => ({ width, height, data: new Uint8ClampedArray(4 * width * height) });
    return { createImageData: image, putImageData: (painted) => (this.painted = painted) };
  }

  toJSON() {
    const { tag, attributes, children, href = null } = this;
    return { tag, attributes, children, href };
  }
}

class FakeStyle {
  setProperty(name, value) {
    this[name] = value;
  }
}

globalThis.document = {
  createElement: (tag) => new FakeElement(tag),
  createElementNS: (_, tag) => new FakeElement(tag),
  getElementById: () => ({ textContent: process.env.PAGE_CONSTANTS }), // of tests/nodejs.py: the only element that modules read
};

// Creates elements of the page.

/** Create an element with a class, a role and children. */
function element(tag, kind = "", role = "", ...children) {
  const made = document.createElement(tag);
  if (kind) made.className = kind;
  if (role) made.setAttribute("role", role);
  made.append(...children);
  return made;
}

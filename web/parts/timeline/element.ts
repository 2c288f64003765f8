/** Makes an element with attributes and what is in it. Text is text, whatever it holds. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Sets a text only where it differs, so that nothing is laid out anew for nothing. */
export function setText(node: Node, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

// Comforts only: every page works without this file.
"use strict";

// A button that copies a command.
for (const block of document.querySelectorAll("pre.copy")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(block.querySelector("code").textContent);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Select it and copy";
    }
  });
  block.append(button);
}

// The menu of people closes with Escape and with a click elsewhere.
const menu = document.querySelector("details.you");
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && menu.open) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});
document.addEventListener("click", (event) => {
  if (!menu.contains(event.target)) menu.open = false;
});

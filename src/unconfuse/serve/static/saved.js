// A saved evaluation: another name, tags or note, or its end.
import {byId, clear, send, show} from './requests.js';

const form = byId('edit');
const address = `/api/evaluations/${form?.dataset.id}`;

/** @param {string} name */
function text(name) {
  return /** @type {HTMLInputElement} */ (byId(`edit-${name}`)).value;
}

form?.addEventListener('submit', async event => {
  event.preventDefault();
  clear();
  const tags = text('tags').split(',');
  const changes = {name: text('name'), note: text('note'), tags: tags.map(each => each.trim()).filter(Boolean)};
  await send(address, 'PATCH', changes).then(() => location.reload(), show);
});

const button = byId('delete');
button?.addEventListener('click', async () => {
  if (button.dataset.sure) return send(address, 'DELETE').then(() => location.assign('/history'), show);
  button.dataset.sure = 'yes';
  button.textContent = 'Really delete it?';
});

// One menu at a time, and Escape closes it.
const menus = /** @type {NodeListOf<HTMLDetailsElement>} */ (document.querySelectorAll('.menu'));
for (const menu of menus) {
  menu.addEventListener('toggle', () => {
    if (menu.open) for (const other of menus) other.open = other === menu;
  });
  menu.addEventListener('keydown', event => {
    if (event.key !== 'Escape') return;
    menu.open = false;
    menu.querySelector('summary')?.focus();
  });
}

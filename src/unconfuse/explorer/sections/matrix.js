section('matrix', 'Which classes are taken for which', 'Confusions', () => Boolean(CLASSES), root => {
  const K = CLASSES.size, SHOW_NUMBERS = 12, AS_TABLE = 20;
  let by = 'truth', order = K > SHOW_NUMBERS ? 'together' : 'given', at = null, shape = null;
  const ORDERS = {given: CLASSES.names.map((_, i) => i), together: numbers(CLASSES.order)};
  const places = () => ORDERS[order];

  const toggle = (words, options, chosen, run) => {
    const buttons = options.map(([key, label]) => h('button', {type: 'button', class: 'chip', 'data-choice': key, 'aria-pressed': String(key === chosen), on: {click: () => { for (const each of buttons) each.setAttribute('aria-pressed', String(each.dataset.choice === key)); run(key); draw(); }}}, label));
    return h('div', {class: 'field toggle', role: 'group', 'aria-label': words}, h('span', {class: 'muted small', 'aria-hidden': 'true'}, words), buttons);
  };
  root.append(h('p', {class: 'how'}, 'Each row holds the cases of one true class, each column those that were called one class. Right answers lie on the diagonal, in blue; everything else is a confusion, in orange, shaded on a scale of its own so that small ones can be seen too. ' + (K > SHOW_NUMBERS ? 'Point at a cell to read it' : 'Point at a cell to read it in words') + ', or go there with the arrow keys; Enter opens the class of the row.'));
  root.append(h('div', {class: 'toggles'}, toggle('Show', [['truth', 'share of the true class'], ['predicted', 'share of the predicted class'], ['count', 'counts']], by, key => { by = key; }),
    K > 2 ? toggle('Order', [['given', 'as given'], ['together', 'confused classes together']], order, key => { order = key; }) : null));

  const readout = h('p', {class: 'readout', id: 'matrix-readout', role: 'status'}, ' ');
  const canvas = h('canvas', {'aria-hidden': 'true'}), cursor = h('div', {class: 'cursor', hidden: true});
  const frame = h('div', {class: 'matrix', id: 'matrix-frame', tabindex: 0, role: 'application', 'aria-roledescription': 'confusion matrix', 'aria-label': `Confusion matrix of ${K} classes; move with the arrow keys. The commonest confusions are listed in words above.`, 'aria-describedby': readout.id}, canvas, cursor);
  root.append(frame, readout, h('p', {class: 'ramps small muted'}, h('span', null, h('span', {class: 'ramp right'}), 'right: the stronger, the more'), h('span', null, h('span', {class: 'ramp wrong'}), 'confused: strongest for the largest confusion')));
  if (CLASSES.cells.left_out) root.append(h('p', {class: 'muted'}, `${countText(CLASSES.cells.left_out)} cells with the smallest counts (at most ${countText(CLASSES.cells.at_most)} each) are not in this file.`));
  if (CLASSES.left_out) root.append(h('p', {class: 'muted'}, `${countText(CLASSES.left_out)} smaller classes are not on this page; cases called one of them are in no column here.`));

  const hexed = name => { const text = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim(); return [1, 3, 5].map(i => parseInt(text.slice(i, i + 2), 16)); };
  const mixed = (one, two, share) => one.map((v, i) => Math.round(v + (two[i] - v) * share));
  const light = rgb => { const [r, g, b] = rgb.map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const css = rgb => `rgb(${rgb.join(',')})`;
  const valueText = v => by === 'count' ? countText(v) : v > 0 && v < 0.0005 ? '<0.1%' : percentText(v >= 0.0995 ? Number(v.toPrecision(2)) === 1 && v < 1 ? v : Number(v.toFixed(2)) : Number(v.toFixed(3)));

  function shortened(pen, text, room) {
    if (pen.measureText(text).width <= room) return text;
    const signs = [...text.slice(0, 60)];
    while (signs.length > 1 && pen.measureText(signs.join('') + '…').width > room) signs.pop();
    return signs.join('') + '…';
  }

  function measure(pen) {
    const width = Math.min(frame.clientWidth || 320, 940), widest = Math.max(...CLASSES.names.slice(0, 400).map(name => pen.measureText(name.slice(0, 60)).width));
    const left = Math.ceil(Math.min(widest + 10, width * 0.26, 170)), cell = Math.min((width - left - 1) / K, K <= 4 ? 92 : 64);
    const flat = widest + 8 <= cell || (K <= 6 && cell >= 54), top = flat ? 40 : Math.ceil(Math.min(widest + 12, 130));
    return {left, top, cell, flat, width: left + cell * K + 1, height: top + cell * K + 1, step: Math.ceil(12 / cell)};
  }

  function draw() {
    const pen = canvas.getContext('2d'), scale = devicePixelRatio || 1, font = '12px system-ui, sans-serif', rank = places();
    pen.font = font;
    shape = measure(pen);
    const {left, top, cell, flat, width, height, step} = shape;
    canvas.width = Math.round(width * scale); canvas.height = Math.round(height * scale);
    canvas.style.width = `${width}px`; canvas.style.height = `${height}px`;
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.font = font;
    const right = hexed('one'), wrong = hexed('bad'), paper = hexed('paper'), panel = hexed('panel'), ink = css(hexed('ink')), muted = css(hexed('muted'));
    pen.fillStyle = css(panel);
    pen.fillRect(left, top, cell * K, cell * K);
    const row = [], gap = cell >= 6 ? 1 : 0, size = Math.max(cell - gap, 1);
    rank.forEach((k, place) => { row[k] = place; });
    let most = 0, best = 0;
    for (const [i, j, count] of CLASSES.entries) { const v = CLASSES.value(by, i, j, count); if (i === j) best = Math.max(best, v); else most = Math.max(most, v); }
    if (by !== 'count') best = 1;
    pen.textAlign = 'center'; pen.textBaseline = 'middle';
    for (const [i, j, count] of CLASSES.entries) {
      const v = CLASSES.value(by, i, j, count), colour = i === j ? mixed(panel, right, 0.12 + 0.88 * v / (best || 1)) : mixed(panel, wrong, 0.1 + 0.9 * Math.sqrt(v / (most || 1)));
      const x = left + row[j] * cell, y = top + row[i] * cell;
      pen.fillStyle = css(colour);
      pen.fillRect(x, y, size, size);
      if (K > SHOW_NUMBERS) continue;
      const words = valueText(v);
      if (pen.measureText(words).width > cell - 6) continue;
      pen.fillStyle = light(colour) > 0.19 ? '#111' : '#fff';
      pen.font = i === j ? '600 12.5px system-ui, sans-serif' : font;
      pen.fillText(words, x + size / 2, y + size / 2 + 0.5);
    }
    pen.font = '11px system-ui, sans-serif';
    pen.fillStyle = muted;
    pen.textAlign = 'right';
    if (top >= 40 && left >= 56) { pen.fillText('called →', left - 6, top - 24); pen.fillText('true ↓', left - 6, top - 9); }
    pen.font = font;
    pen.fillStyle = K > SHOW_NUMBERS ? muted : ink;
    rank.forEach((k, place) => {
      if (place % step) return;
      const middle = (place + 0.5) * cell, name = CLASSES.names[k];
      pen.textAlign = 'right';
      pen.fillText(shortened(pen, name, left - 10), left - 6, top + middle);
      pen.save();
      if (flat) { pen.textAlign = 'center'; pen.fillText(shortened(pen, name, cell - 6), left + middle, top - 11); }
      else { pen.translate(left + middle, top - 6); pen.rotate(-Math.PI / 2); pen.textAlign = 'left'; pen.fillText(shortened(pen, name, top - 10), 0, 0); }
      pen.restore();
    });
    canvas.dataset.cell = cell; canvas.dataset.left = left; canvas.dataset.top = top;
    if (at) show(at); else cursor.hidden = true;
    if (listing) listing();
  }

  const quoted = k => `“${CLASSES.names[k].length > 40 ? CLASSES.names[k].slice(0, 39) + '…' : CLASSES.names[k]}”`;
  function sentence(i, j) {
    const count = CLASSES.count(i, j), of = CLASSES.truth[i], called = CLASSES.predicted[j];
    if (!count && CLASSES.cells.left_out) return `At most ${countText(CLASSES.cells.at_most)} of ${countText(of)} ${quoted(i)} were called ${quoted(j)}.`;
    const share = of ? `, ${percentText(CLASSES.value('truth', i, j, count))} of them` : '', back = called && i !== j ? ` That is ${percentText(CLASSES.value('predicted', i, j, count))} of all that was called ${quoted(j)}.` : called ? ` Of all that was called ${quoted(j)}, ${percentText(CLASSES.value('predicted', i, j, count))} are.` : '';
    return `${countText(count)} of ${countText(of)} ${quoted(i)} were ${i === j ? 'rightly ' : ''}called ${quoted(j)}${share}.${back}`;
  }
  function show([y, x]) {
    const rank = places(), i = rank[y], j = rank[x], {left, top, cell} = shape, count = CLASSES.count(i, j);
    at = [y, x];
    cursor.hidden = false;
    const size = Math.max(cell, 5), off = (cell - size) / 2;
    Object.assign(cursor.style, {left: `${left + x * cell + off - 1.5}px`, top: `${top + y * cell + off - 1.5}px`, width: `${size + 2}px`, height: `${size + 2}px`});
    set(readout, sentence(i, j));
    Object.assign(frame.dataset, {row: i, column: j, count, ofTruth: CLASSES.value('truth', i, j, count), ofPredicted: CLASSES.value('predicted', i, j, count)});
  }
  const under = event => {
    const box = canvas.getBoundingClientRect(), place = (v, from) => Math.floor((v - from) / shape.cell);
    const x = place(event.clientX - box.left, shape.left), y = place(event.clientY - box.top, shape.top);
    return x >= 0 && y >= 0 && x < K && y < K ? [y, x] : null;
  };
  const clear = () => { at = null; cursor.hidden = true; set(readout, ' '); };
  frame.addEventListener('pointermove', event => { const found = under(event); if (found) show(found); });
  frame.addEventListener('pointerleave', () => { if (document.activeElement !== frame) clear(); });
  frame.addEventListener('click', event => { const found = under(event); if (found) show(found); });
  frame.addEventListener('dblclick', event => { const found = under(event); if (found) chooseClass(places()[found[0]], true); });
  frame.addEventListener('focus', () => show(at || [0, 0]));
  frame.addEventListener('blur', clear);
  const MOVES = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], PageUp: [-10, 0], PageDown: [10, 0], Home: [0, -K], End: [0, K]};
  frame.addEventListener('keydown', event => {
    const move = MOVES[event.key], within = v => Math.min(Math.max(v, 0), K - 1);
    if (event.key === 'Enter' && at) { chooseClass(places()[at[0]], true); event.preventDefault(); return; }
    if (!move) return;
    event.preventDefault();
    const [y, x] = at || [0, 0];
    show([within(y + move[0]), within(x + move[1])]);
  });

  let listing = null;
  if (K <= AS_TABLE) {
    const place = h('div', {id: 'matrix-table'});
    root.append(details('The matrix as a table', place));
    listing = () => {
      const rank = places(), words = {truth: 'shares of the true class', predicted: 'shares of the predicted class', count: 'counts'}[by];
      const rows = rank.map(i => [CLASSES.names[i], ...rank.map(j => { const v = CLASSES.value(by, i, j, CLASSES.count(i, j)); return h('td', {class: 'num', 'data-row': i, 'data-column': j, 'data-value': v}, by === 'count' ? countText(v) : percentText(v)); }), countText(CLASSES.truth[i])]);
      place.replaceChildren(table(`True classes (rows) against predicted classes (columns), ${words}`, ['True class', ...rank.map(k => CLASSES.names[k]), 'all'], rows, {class: 'cells'}));
    };
  }
  new ResizeObserver(() => { if (!shape || Math.abs(frame.clientWidth - frame.dataset.seen) > 1) { frame.dataset.seen = frame.clientWidth; draw(); } }).observe(frame);
  new MutationObserver(draw).observe(document.documentElement, {attributes: true, attributeFilter: ['data-theme']});
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
  draw();
});

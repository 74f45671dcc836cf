// Pictures: one plot area with two axes, lines, bands and points; a read-out under the pointer.

const SIZE = {width: 420, height: 300, left: 44, right: 14, top: 26, bottom: 42};

function ticksBetween(low, high, wanted = 5) {
  const step = 10 ** Math.floor(Math.log10((high - low) / wanted));
  const nice = [1, 2, 5, 10].map(k => k * step).find(k => (high - low) / k <= wanted + 1);
  const first = Math.ceil(low / nice - 1e-9), last = Math.floor(high / nice + 1e-9);
  return Array.from({length: last - first + 1}, (_, i) => Number(((first + i) * nice).toPrecision(12)));
}

const tickText = v => String(Number(v.toPrecision(4)));

function chart({label, x, y, height = SIZE.height, narrow = false}) {
  const box = {...SIZE, height};
  const inner = {left: box.left, right: box.width - box.right, top: box.top, bottom: box.height - box.bottom};
  const X = v => inner.left + (inner.right - inner.left) * (v - x.low) / (x.high - x.low);
  const Y = v => inner.bottom - (inner.bottom - inner.top) * (v - y.low) / (y.high - y.low);
  const clip = fresh('clip');
  const grid = s('g', {class: 'grid'}), marks = s('g', {'clip-path': `url(#${clip})`}), above = s('g', null);
  for (const [value, words] of x.ticks || ticksBetween(x.low, x.high).map(v => [v, tickText(v)])) {
    grid.append(s('line', {x1: X(value), x2: X(value), y1: inner.top, y2: inner.bottom}),
      s('text', {x: X(value), y: inner.bottom + 15, 'text-anchor': 'middle'}, words));
  }
  for (const [value, words] of y.ticks || ticksBetween(y.low, y.high).map(v => [v, tickText(v)])) {
    grid.append(s('line', {x1: inner.left, x2: inner.right, y1: Y(value), y2: Y(value)}),
      s('text', {x: inner.left - 6, y: Y(value) + 4, 'text-anchor': 'end'}, words));
  }
  const guide = s('line', {class: 'guide', y1: inner.top, y2: inner.bottom, visibility: 'hidden'});
  const node = s('svg', {viewBox: `0 0 ${box.width} ${box.height}`, role: 'img', 'aria-label': label, class: 'chart'},
    s('defs', null, s('clipPath', {id: clip}, s('rect', {x: inner.left - 1, y: inner.top - 5, width: inner.right - inner.left + 2, height: inner.bottom - inner.top + 10}))),
    grid, s('text', {class: 'axis', x: inner.left - 34, y: 14}, y.label), s('text', {class: 'axis', x: inner.right, y: box.height - 8, 'text-anchor': 'end'}, x.label),
    marks, guide, above);
  const readout = h('p', {class: 'readout', 'aria-hidden': 'true'}, ' ');
  const wrap = h('div', {class: narrow ? 'plot narrow' : 'plot'}, node, readout);
  const path = (xs, ys) => {
    let text = '', pen = 'M';
    for (let i = 0; i < xs.length; i++) {
      if (!Number.isFinite(ys[i]) || !Number.isFinite(xs[i])) { pen = 'M'; continue; }
      text += `${pen}${X(xs[i]).toFixed(2)},${Y(ys[i]).toFixed(2)}`;
      pen = 'L';
    }
    return text;
  };
  const area = (xs, low, high) => {
    const keep = xs.map((_, i) => i).filter(i => Number.isFinite(low[i]) && Number.isFinite(high[i]));
    if (!keep.length) return '';
    const there = keep.map(i => `${X(xs[i]).toFixed(2)},${Y(high[i]).toFixed(2)}`);
    const back = keep.reverse().map(i => `${X(xs[i]).toFixed(2)},${Y(low[i]).toFixed(2)}`);
    return `M${there.concat(back).join('L')}Z`;
  };
  const add = (tag, props) => { const made = s(tag, props); marks.append(made); return made; };
  const self = {
    node, wrap, inner, X, Y, marks, above, path, area,
    line: (xs, ys, cls) => add('path', {d: path(xs, ys), class: `line ${cls}`}),
    band: (xs, low, high, cls) => add('path', {d: area(xs, low, high), class: `band ${cls}`}),
    words: (px, py, text, anchor = 'start', cls = 'note') => {
      const made = s('text', {x: px, y: py, 'text-anchor': anchor, class: cls}, text);
      above.append(made);
      return made;
    },
    point: cls => {
      const made = s('circle', {r: 6, class: `point ${cls}`, visibility: 'hidden'});
      above.append(made);
      return (px, py) => {
        const seen = Number.isFinite(px) && Number.isFinite(py);
        made.setAttribute('visibility', seen ? 'visible' : 'hidden');
        if (seen) { made.setAttribute('cx', X(px).toFixed(2)); made.setAttribute('cy', Y(py).toFixed(2)); }
      };
    },
    upright: cls => {
      const made = s('line', {class: cls, y1: inner.top, y2: inner.bottom});
      above.append(made);
      return px => {
        const at = Math.min(Math.max(X(px), inner.left), inner.right);
        made.setAttribute('x1', at); made.setAttribute('x2', at);
      };
    },
    describe: text => node.setAttribute('aria-label', `${label}. ${text}`),
    // say(x) gives the read-out for a place along the horizontal axis.
    hover: say => {
      const show = event => {
        const frame = node.getBoundingClientRect();
        const px = (event.clientX - frame.left) * box.width / frame.width;
        const value = x.low + (x.high - x.low) * Math.min(Math.max((px - inner.left) / (inner.right - inner.left), 0), 1);
        guide.setAttribute('visibility', 'visible');
        guide.setAttribute('x1', X(value)); guide.setAttribute('x2', X(value));
        set(readout, say(value));
      };
      node.addEventListener('pointermove', show);
      node.addEventListener('pointerdown', show);
      node.addEventListener('pointerleave', () => { guide.setAttribute('visibility', 'hidden'); set(readout, ' '); });
      return self;
    },
  };
  return self;
}

// The height of a line at x, between its points.
function heightAt(xs, ys, x) {
  if (!xs.length || x < xs[0] || x > xs[xs.length - 1]) return NaN;
  let low = 0, high = xs.length - 1;
  while (high - low > 1) { const middle = (low + high) >> 1; if (xs[middle] <= x) low = middle; else high = middle; }
  const step = xs[high] - xs[low];
  return step > 0 ? ys[low] + (ys[high] - ys[low]) * (x - xs[low]) / step : ys[high];
}

// One interval as a bar: the range as a line, the interval as a bar, the value as a dot, chance as a tick.
function intervalBar({low, high, value, baseline, range, label, cls = '', width = 220}) {
  const place = v => 8 + (width - 16) * (Math.min(Math.max(v, range[0]), range[1]) - range[0]) / (range[1] - range[0]);
  const node = s('svg', {viewBox: `0 0 ${width} 22`, class: `bar ${cls}`, role: 'img', 'aria-label': label},
    s('line', {class: 'rail', x1: 8, x2: width - 8, y1: 11, y2: 11}));
  if (Number.isFinite(baseline)) node.append(s('line', {class: 'chance', x1: place(baseline), x2: place(baseline), y1: 3, y2: 19}));
  if (!Number.isNaN(low)) node.append(s('line', {class: 'span', x1: place(low), x2: Math.max(place(high), place(low) + 1), y1: 11, y2: 11}));
  if (!Number.isNaN(value)) node.append(s('circle', {class: 'dot', cx: place(value), cy: 11, r: 4.5}));
  return node;
}

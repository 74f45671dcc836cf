// Numbers as words: the same texts that Python prints.

const number = v => v === 'inf' ? Infinity : v === '-inf' ? -Infinity : v === null || v === undefined ? NaN : v;
const numbers = column => column.map(number);

// Fixed digits; exact halves go to the even neighbour, as in Python. x is such a half iff x * 2^(digits + 1) is odd.
function fixed(x, digits) {
  const halves = x * 2 ** (digits + 1);
  if (!Number.isInteger(halves) || halves % 2 === 0) return x.toFixed(digits);
  const below = Math.floor(x * 10 ** digits);
  return ((below % 2 === 0 ? below : below + 1) / 10 ** digits).toFixed(digits);
}

const grouped = text => text.replace(/\B(?=(\d{3})+(?!\d))/g, ',');

// Significant digits without trailing zeros; exponents below 0.0001.
function general(x, digits) {
  if (x === 0) return '0';
  const exponent = Number(x.toExponential(digits - 1).split('e')[1]);
  if (exponent < -4 || exponent >= digits) {
    const [head, power] = x.toExponential(digits - 1).split('e');
    const short = head.includes('.') ? head.replace(/\.?0+$/, '') : head;
    return short + 'e' + power[0] + power.slice(1).padStart(2, '0');
  }
  const text = x.toPrecision(digits);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

function numberText(x, digits = 3) {
  if (Number.isNaN(x)) return 'undefined';
  if (!Number.isFinite(x)) return x > 0 ? 'inf' : '-inf';
  const size = Math.abs(x);
  if (size < 1e-12) return (0).toFixed(digits);
  if (size >= 10 ** digits) return grouped(fixed(x, 0));
  if (size >= 10) return fixed(x, Math.max(digits - 2, 1));
  return size >= 10 ** -(digits - 1) / 2 ? fixed(x, digits) : general(x, 2);
}

const intervalText = (low, high) => Number.isNaN(low) && Number.isNaN(high) ? '' : `[${numberText(low)}, ${numberText(high)}]`;

// Three digits, and never 100% for what is only nearly so.
function percentText(x) {
  if (Number.isNaN(x)) return 'undefined';
  const text = general(100 * x, 3);
  return (text === '100' && x < 1 ? general(100 * x, 6) : text) + '%';
}

const countText = x => Number.isNaN(x) ? 'undefined' : Number.isInteger(x) ? grouped(String(x)) : x >= 100 ? grouped(fixed(x, 0)) : fixed(x, 1);
const thresholdText = x => x === Infinity ? 'above every score' : String(Number(x.toPrecision(6)));
const capital = text => text.slice(0, 1).toUpperCase() + text.slice(1);
const levelText = level => `${general(100 * level, 4)}%`;

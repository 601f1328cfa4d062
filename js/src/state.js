// What the page shows at the moment, and who wants to know when it changes.

/** Hold values; `set` changes some, and calls those who listen to any of them once. */
export function createState(values) {
  const listeners = [];
  return {
    ...{ values },
    get: (name) => values[name],
    on(names, listener) {
      listeners.push({ names, listener });
    },
    set(changes) {
      const changed = Object.keys(changes).filter((name) => values[name] !== changes[name]);
      if (!changed.length) return;
      Object.assign(values, changes);
      for (const { names, listener } of listeners) {
        if (names.some((name) => changed.includes(name))) listener(values, changed);
      }
    },
  };
}

/** Return one empty mark per point of each dataset. */
export function noMarks(model) {
  return model.sides.map((side) => new Uint8Array(side.n));
}

/** Return the marks of the best partners of all that is marked. */
export function linked(model, marks) {
  const out = noMarks(model);
  model.sides.forEach((side, k) => {
    const { k: many, index, share } = side.match;
    for (let i = 0; i < side.n; i += 1) if (marks[k][i] && share[i * many]) out[1 - k][index[i * many]] = 1;
  });
  return out;
}

/** Count marks. */
export function sum(marks) {
  let total = 0;
  for (const value of marks) total += value;
  return total;
}

// How often each check was right and wrong.
export const counts = new Map();

export const check = (value, checks) => {
  let allRight = true;
  for (const [name, isRight] of Object.entries(checks)) {
    const count = counts.get(name) ?? { right: 0, wrong: 0 };
    counts.set(name, count);
    if (isRight(value)) {
      count.right++;
    } else {
      count.wrong++;
      allRight = false;
    }
  }
  return allRight;
};

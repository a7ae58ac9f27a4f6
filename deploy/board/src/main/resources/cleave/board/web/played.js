/** Processes and links that the reader plays with. Pure. */

/** `server 1` of `server-1`. */
export const spoken = (node) => node.replace(/-(\d+)$/, ' $1');
/** `server` of `server-1`. */
export const roleOf = (node) => node.replace(/-\d+$/, '');
const ROLES = { dfs: 'DFS nodes', master: 'masters', server: 'servers', 'front-end': 'front ends' };

/** What a process can be cut off from: each of its partners, and all those of a role if there are several. As pairs of a value and a text. */
export function partnersOf(partners) {
  const roles = [...new Set(partners.map(roleOf))];
  return roles.flatMap((role) => {
    const those = partners.filter((each) => roleOf(each) === role);
    return [...(those.length > 1 ? [[role, `all ${ROLES[role] ?? role}`]] : []), ...those.map((each) => [each, spoken(each)])];
  });
}

/** What was done on the page, as marks below the map. */
export function marks(play) {
  return (play?.done ?? []).filter((each) => !each.failed).map((each) => ({ t: each.t, n: `played-${each.n}`, lane: 'played', sentence: each.text, ranges: [], extents: [] }));
}

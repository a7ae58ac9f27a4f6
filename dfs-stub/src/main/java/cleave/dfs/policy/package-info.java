/** Pure rules for engines that give less than the contract by themselves ({@link cleave.dfs.policy.NameTrust}). */
@NullMarked
package cleave.dfs.policy;

import org.jspecify.annotations.NullMarked;

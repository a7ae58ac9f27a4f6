/**
 * The {@code cleave} command: the one place that knows every role. Its subpackages start one role in a process ({@code role}), all of them
 * in one ({@code standalone}), or all as local processes ({@code cluster}). Others ask the masters ({@code admin}) and show a data set at
 * work ({@code demo}).
 */
@NullMarked
package cleave.deploy;

import org.jspecify.annotations.NullMarked;

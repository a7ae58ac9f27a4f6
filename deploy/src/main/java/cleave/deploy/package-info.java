/**
 * The {@code cleave} command: the one place that knows every role. Its subpackages start roles in a process ({@code role}),
 * all of them in one ({@code standalone}), or as local processes ({@code cluster}); ask the masters ({@code admin}); and
 * show a data set at work ({@code demo}).
 */
@NullMarked
package cleave.deploy;

import org.jspecify.annotations.NullMarked;

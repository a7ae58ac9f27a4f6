/** Tests of the charts. */
@org.jspecify.annotations.NullMarked
package cleave.chaos.picture;

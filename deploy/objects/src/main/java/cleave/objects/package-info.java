/**
 * Backups in object stores: S3 and everything that speaks its protocol, by the AWS SDK; and Azure's Blob service. In a module of its own for the
 * SDK's sake, which no role has on its class path. It is found as a {@link cleave.deploy.backup.place.PlaceProvider}.
 */
@NullMarked
package cleave.objects;

import org.jspecify.annotations.NullMarked;

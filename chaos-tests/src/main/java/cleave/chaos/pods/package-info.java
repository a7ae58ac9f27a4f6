/**
 * What {@code kubectl kustomize} renders, carried out on this machine without Kubernetes: each pod's command as a process in a network
 * namespace of its own, with an address of its own, names, Services, volumes, probes and the ends of pods; or given to a real cluster
 * by {@code kubectl}. Events that happen to pods are tried on either under the checked load of {@code cleave.chaos.fault}.
 */
@NullMarked
package cleave.chaos.pods;

import org.jspecify.annotations.NullMarked;

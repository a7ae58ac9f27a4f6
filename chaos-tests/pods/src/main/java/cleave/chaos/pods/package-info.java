/**
 * Runs what {@code kubectl kustomize} renders, on this machine without Kubernetes or on a real cluster through {@code
 * kubectl}. Without Kubernetes, each pod's command is a process in its own network namespace with its own address, and
 * names, Services, volumes, probes and termination work as in a cluster. Either way, pods are deleted, replaced and
 * rolled under the checked load of {@code cleave.chaos.fault}.
 */
@NullMarked
package cleave.chaos.pods;

import org.jspecify.annotations.NullMarked;

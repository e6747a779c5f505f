// SPDX-License-Identifier: MIT

package import OppiSystem

extension Scratch {
  /// The paths of a user whose home folder is this one.
  package var paths: XDGPaths { XDGPaths(environment: [:], home: folder) }
}

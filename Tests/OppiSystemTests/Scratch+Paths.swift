// SPDX-License-Identifier: MIT

import OppiSystem
import TestSupport

extension Scratch {
  /// The paths of a user whose home folder is this one.
  var paths: XDGPaths { XDGPaths(environment: [:], home: folder) }
}

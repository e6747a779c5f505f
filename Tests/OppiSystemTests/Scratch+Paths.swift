// SPDX-License-Identifier: MIT

import OppiSystem
import TestSupport

extension Scratch {
  /// The folders of a user whose home this is.
  var paths: XDGPaths { XDGPaths(environment: [:], home: folder) }
}

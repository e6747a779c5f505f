// SPDX-License-Identifier: MIT

import EventLoop
import OppiSystem

extension FileStore {
  /// Makes a store over the real disk for tests in which nobody is waited for.
  static func forTests() throws -> FileStore { FileStore(loop: try EventLoop()) }
}

// SPDX-License-Identifier: MIT

import EventLoop
package import OppiSystem

extension FileStore {
  /// Creates a store for the real disk, with a loop shared by all such stores.
  package static func forTests() throws -> FileStore { FileStore(loop: try waiting.get()) }

  /// A loop that runs on its own thread until the tests end.
  ///
  /// A program that another test starts may hold any lock until its `execve`. Waits from other
  /// threads do not wake the loop, so it polls.
  private static let waiting = Result { () throws(SystemError) in
    let loop = try EventLoop()
    try DetachedThread.start {
      loop.run { while (try? await loop.sleep(for: .milliseconds(5))) != nil {} }
    }
    return loop
  }
}

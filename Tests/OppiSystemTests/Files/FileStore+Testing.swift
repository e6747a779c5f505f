// SPDX-License-Identifier: MIT

import EventLoop
import OppiSystem

extension FileStore {
  /// Makes a store over the real disk; it waits on a loop that all such stores share.
  static func forTests() throws -> FileStore { FileStore(loop: try waiting.get()) }

  /// Runs on a thread of its own for as long as the tests do.
  ///
  /// A program that another test starts may hold any lock for the moment before its `execve`. What
  /// waits from elsewhere does not wake the loop, which therefore looks by itself.
  private static let waiting = Result { () throws(SystemError) in
    let loop = try EventLoop()
    try DetachedThread.start {
      loop.run { while (try? await loop.sleep(for: .milliseconds(5))) != nil {} }
    }
    return loop
  }
}

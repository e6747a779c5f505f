// SPDX-License-Identifier: MIT

package import Foundation

extension Process {
  /// Starts the program; one that has not ended when its test must have is killed, and shows signal
  /// 9, so that whoever waits for its end or its output waits no longer.
  package func runInTime() throws {
    try run()
    let limit = TimeInterval(Duration.testLimit.components.seconds)
    DispatchQueue.global().asyncAfter(deadline: .now() + limit) { [self] in
      if isRunning { kill(processIdentifier, SIGKILL) }
    }
  }
}

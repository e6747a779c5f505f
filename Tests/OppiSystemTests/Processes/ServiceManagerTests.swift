// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiSystem

/// Messages of a service to its manager, over a real socket.
@Suite struct ServiceManagerTests {
  @Test(
    "readiness, watchdog and stop are reported to the manager",
    arguments: [false, true]
  )
  func tells(isAbstract: Bool) throws {
    let socket = try ManagerSocket(isAbstract: isAbstract)
    let manager = ServiceManager(
      environment: ["NOTIFY_SOCKET": socket.path, "WATCHDOG_USEC": "30000000"]
    )
    manager.ready()
    #expect(socket.next() == "READY=1")
    manager.alive()
    #expect(socket.next() == "WATCHDOG=1")
    manager.stopping()
    #expect(socket.next() == "STOPPING=1")
    #expect(manager.watchdogInterval == .seconds(15))
  }

  @Test(
    "without a usable socket, nothing is sent",
    arguments: ["", "/nowhere", "x"]
  )
  func nobody(path: String) {
    let manager = ServiceManager(environment: ["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "-1"])
    manager.ready()
    #expect(manager.watchdogInterval == nil)
  }
}

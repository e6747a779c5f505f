// SPDX-License-Identifier: MIT

import Testing

@testable import OppiSystem

@Suite struct SessionBusAddressTests {
  private static func address(
    _ environment: [String: String],
    socket: String? = nil
  ) -> String? {
    SessionBusAddress(environment: environment) { $0 == socket }?.text
  }

  @Test("a given address is used, limited to local sockets")
  func given() {
    let name = "DBUS_SESSION_BUS_ADDRESS"
    let runtime = "/run/user/7"
    for (text, expected) in [
      ("unix:path=/run/user/7/bus", "unix:path=/run/user/7/bus"),
      ("unix:abstract=/tmp/a,guid=00;unix:path=/b", "unix:abstract=/tmp/a,guid=00;unix:path=/b"),
      ("tcp:host=example.com,port=1;unix:path=/b", "unix:path=/b"),
      ("autolaunch:", nil), ("unixexec:path=/bin/sh", nil), ("tcp:host=localhost,port=1", nil),
      (";", nil), ("nonsense", nil),
    ] as [(String, String?)] {
      let environment = [name: text, "XDG_RUNTIME_DIR": runtime]
      #expect(Self.address(environment, socket: runtime + "/bus") == expected, "\(text)")
    }
  }

  @Test("without an address, the user's own bus is used if it exists")
  func runtimeFolder() {
    let name = "XDG_RUNTIME_DIR"
    #expect(
      Self.address([name: "/run/user/7"], socket: "/run/user/7/bus")
        == "unix:path=/run/user/7/bus"
    )
    #expect(
      Self.address(
        [name: "/run/a b;ü", "DBUS_SESSION_BUS_ADDRESS": ""],
        socket: "/run/a b;ü/bus"
      ) == "unix:path=/run/a%20b%3b%c3%bc/bus"
    )
    #expect(Self.address([name: "/run/user/7"]) == nil)
    #expect(Self.address([name: "run"], socket: "run/bus") == nil)
    #expect(Self.address([:]) == nil)
  }
}

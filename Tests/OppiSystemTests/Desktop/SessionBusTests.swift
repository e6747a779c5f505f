// SPDX-License-Identifier: MIT

import EventLoop
import Synchronization
import TestSupport
import Testing

@testable import OppiSystem

@Suite(.enabled(if: PrivateBus.isInstalled, "dbus-daemon is not installed"))
struct SessionBusTests {
  /// A program with a name on the bus that stores the messages it receives.
  private struct Receiver {
    static let name = "org.example.Receiver"
    let bus: SessionBus
    let messages: Messages

    final class Messages: Sendable {
      let list = Mutex<[BusMessage]>([])
    }

    init(at address: SessionBusAddress, on loop: EventLoop) async throws {
      let messages = Messages()
      self.messages = messages
      bus = try await SessionBus.connect(to: address, on: loop, until: .farOff) { message in
        messages.list.withLock { $0.append(message) }
      }
      let name = [BusValue.string(Self.name), .uint32(0)]
      try await bus.call(BusMessage(toBus: "RequestName", name), until: .farOff)
    }

    func next(_ member: String) async throws(DesktopError) -> BusMessage {
      try await bus.wait(until: .farOff) {
        messages.list.withLock { $0.first { $0.member == member } }
      }
    }
  }

  private static func call(_ arguments: [BusValue]) -> BusMessage {
    let name = Receiver.name
    return BusMessage(call: "Take", of: name, at: "/org/example", on: name, arguments)
  }

  @Test("sent values are received unchanged")
  func values() throws {
    let values: [BusValue] = [
      .byte(255), .bool(true), .bool(false), .int32(.min), .uint32(.max), .string(""),
      .string("ä\u{1F600}\u{FFFF}\n"), .strings([]), .strings(["a", "", "ü"]), .dictionary([:]),
      .dictionary([
        "": .byte(0), "b": .bool(true), "i": .int32(-1), "u": .uint32(1), "s": .string("x"),
        "as": .strings(["y", "z"]),
      ]),
    ]
    let bus = try PrivateBus()
    let read = try onLoop { loop in
      let receiver = try await Receiver(at: bus.address, on: loop)
      let sender = try await SessionBus.connect(to: bus.address, on: loop, until: .farOff) { _ in }
      try sender.send(Self.call(values + [.string("up to\0here")]))
      return try await receiver.next("Take")
    }
    #expect(read.arguments == values + [.string("up to")])
    #expect(read.kind == .call && read.path == "/org/example" && read.interface == Receiver.name)
    #expect(read.sender?.hasPrefix(":") == true)
  }

  @Test("an oversized message closes only the connection of its receiver")
  func sizeLimit() throws {
    let bus = try PrivateBus()
    let failure = try onLoop { loop in
      let receiver = try await Receiver(at: bus.address, on: loop)
      let sender = try await SessionBus.connect(to: bus.address, on: loop, until: .farOff) { _ in }
      let long = String(repeating: "x", count: 4 << 20)
      async let failure = DesktopError.thrown(by: { () throws(DesktopError) in
        try await receiver.next("Take")
      })
      // The sender must continue to write until the bus has the whole message.
      _ = await DesktopError.thrown(by: { () throws(DesktopError) in
        try await sender.call(Self.call([.string(long)]), until: .farOff)
      })
      return await failure
    }
    #expect(failure == .busGone)
  }
}

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

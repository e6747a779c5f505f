// SPDX-License-Identifier: MIT

/// A message of D-Bus, as far as notifications need it.
package struct BusMessage: Sendable, Equatable {
  /// What a message is for, as D-Bus numbers it.
  package enum Kind: Int32, Sendable {
    case call = 1
    case reply
    case error
    case signal
  }

  package var kind: Kind
  package var destination: String?
  package var path: String?
  package var interface: String?
  package var member: String?
  /// What went wrong, where it is an error.
  package var errorName: String?
  /// The number of the call that it answers.
  package var replySerial: UInt32?
  package var arguments: [BusValue]
  /// Its number among those of its sender; set by the bus.
  package var serial: UInt32 = 0
  /// The unique name of who sent it, which nobody can forge; set by the bus.
  package var sender: String?

  /// Makes a call of a method.
  package init(
    call member: String,
    of interface: String,
    at path: String,
    on destination: String,
    _ arguments: [BusValue] = []
  ) {
    kind = .call
    (self.member, self.interface, self.path) = (member, interface, path)
    (self.destination, self.arguments) = (destination, arguments)
  }

  /// Makes a call of a method of the bus itself.
  package init(toBus member: String, _ arguments: [BusValue]) {
    self.init(
      call: member,
      of: Self.bus,
      at: "/org/freedesktop/DBus",
      on: Self.bus,
      arguments
    )
  }

  /// The name of the bus, and that of its interface.
  static let bus = "org.freedesktop.DBus"

  /// Makes a message of a kind with nothing but its arguments.
  package init(_ kind: Kind, _ arguments: [BusValue] = []) {
    (self.kind, self.arguments) = (kind, arguments)
  }
}

/// An argument of a message.
package enum BusValue: Sendable, Equatable {
  case byte(UInt8)
  case bool(Bool)
  case int32(Int32)
  case uint32(UInt32)
  /// A text; what follows a NUL is not sent.
  case string(String)
  case strings([String])
  /// Values by their names; in it are no other dictionaries.
  case dictionary([String: BusValue])
  /// Something else, which is not read.
  case other
}

extension BusValue {
  /// The text, `nil` for any other kind of value.
  package var string: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  /// The number, `nil` for any other kind of value.
  package var uint32: UInt32? {
    guard case .uint32(let number) = self else { return nil }
    return number
  }

  /// The texts, `nil` for any other kind of value.
  package var strings: [String]? {
    guard case .strings(let texts) = self else { return nil }
    return texts
  }
}

// SPDX-License-Identifier: MIT

/// A D-Bus message, limited to what notifications need.
package struct BusMessage: Sendable, Equatable {
  /// The message types of the D-Bus specification.
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
  package var errorName: String?
  /// The serial of the call that this message answers.
  package var replySerial: UInt32?
  package var arguments: [BusValue]
  /// The sender's serial; set by the bus.
  package var serial: UInt32 = 0
  /// The sender's unique name, which cannot be forged; set by the bus.
  package var sender: String?

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

  /// A method call to the bus itself.
  package init(toBus member: String, _ arguments: [BusValue]) {
    self.init(
      call: member,
      of: Self.bus,
      at: "/org/freedesktop/DBus",
      on: Self.bus,
      arguments
    )
  }

  static let bus = "org.freedesktop.DBus"

  package init(_ kind: Kind, _ arguments: [BusValue] = []) {
    (self.kind, self.arguments) = (kind, arguments)
  }
}

package enum BusValue: Sendable, Equatable {
  case byte(UInt8)
  case bool(Bool)
  case int32(Int32)
  case uint32(UInt32)
  /// Text; anything after a NUL is not sent.
  case string(String)
  case strings([String])
  /// Values by name, without nested dictionaries.
  case dictionary([String: BusValue])
  /// A value of any other type, which is not read.
  case other
}

extension BusValue {
  package var string: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  package var uint32: UInt32? {
    guard case .uint32(let number) = self else { return nil }
    return number
  }

  package var strings: [String]? {
    guard case .strings(let texts) = self else { return nil }
    return texts
  }
}

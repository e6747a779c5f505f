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

  fileprivate var signature: String {
    switch self {
    case .byte: "y"
    case .bool: "b"
    case .int32: "i"
    case .uint32: "u"
    case .string: "s"
    case .strings: "as"
    case .dictionary: "a{sv}"
    case .other: preconditionFailure("a value that was not read cannot be written")
    }
  }
}

private enum TypeCode {
  static let end: Int32 = 0
  static let byte = code("y")
  static let bool = code("b")
  static let int32 = code("i")
  static let uint32 = code("u")
  static let string = code("s")
  static let array = code("a")
  static let variant = code("v")
  static let entry = code("e")

  private static func code(_ letter: Unicode.Scalar) -> Int32 { Int32(letter.value) }
}

/// Memory on the stack for a `DBusMessageIter`, which has 72 bytes on 64-bit machines.
private func withIterator<Result>(_ body: (LibDBus.Memory) -> Result) -> Result {
  withUnsafeTemporaryAllocation(byteCount: 128, alignment: 16) { place in
    guard let address = place.baseAddress else { preconditionFailure("no room on the stack") }
    return body(address)
  }
}

// MARK: - Reading

extension LibDBus {
  /// Returns the content of a message; `nil` for an unknown message type.
  func read(_ message: OpaquePointer) -> BusMessage? {
    guard let kind = BusMessage.Kind(rawValue: kind(message)) else { return nil }
    var read = BusMessage(kind, arguments(of: message))
    read.path = path(message).map { String(cString: $0) }
    read.interface = interface(message).map { String(cString: $0) }
    read.member = member(message).map { String(cString: $0) }
    read.errorName = errorName(message).map { String(cString: $0) }
    read.sender = sender(message).map { String(cString: $0) }
    read.serial = serial(message)
    let replySerial = replySerial(message)
    read.replySerial = replySerial == 0 ? nil : replySerial
    return read
  }

  private func arguments(of message: OpaquePointer) -> [BusValue] {
    withIterator { iterator in
      startReading(message, iterator) == 0 ? [] : values(iterator)
    }
  }

  /// Reads the remaining values of an iterator.
  private func values(_ iterator: Memory) -> [BusValue] {
    var values: [BusValue] = []
    while argumentType(iterator) != TypeCode.end {
      values.append(value(at: iterator))
      _ = advance(iterator)
    }
    return values
  }

  private func value(at iterator: Memory) -> BusValue {
    switch argumentType(iterator) {
    case TypeCode.byte: .byte(basic(iterator, UInt8(0)))
    case TypeCode.bool: .bool(basic(iterator, DBusBool(0)) != 0)
    case TypeCode.int32: .int32(basic(iterator, Int32(0)))
    case TypeCode.uint32: .uint32(basic(iterator, UInt32(0)))
    case TypeCode.string: .string(text(at: iterator))
    case TypeCode.variant: inside(iterator) { value(at: $0) }
    case TypeCode.array where elementType(iterator) == TypeCode.string:
      .strings(inside(iterator) { values($0) }.compactMap(\.string))
    case TypeCode.array where elementType(iterator) == TypeCode.entry:
      .dictionary(inside(iterator) { entries($0) })
    default: .other
    }
  }

  private func entries(_ iterator: Memory) -> [String: BusValue] {
    var entries: [String: BusValue] = [:]
    while argumentType(iterator) == TypeCode.entry {
      let pair = inside(iterator) { values($0) }
      if let name = pair.first?.string, pair.count == 2 { entries[name] = pair[1] }
      _ = advance(iterator)
    }
    return entries
  }

  private func inside<Result>(_ iterator: Memory, _ body: (Memory) -> Result) -> Result {
    withIterator { inner in
      enter(iterator, inner)
      return body(inner)
    }
  }

  private func basic<Value: BitwiseCopyable>(_ iterator: Memory, _ zero: Value) -> Value {
    var found = zero
    getBasic(iterator, &found)
    return found
  }

  private func text(at iterator: Memory) -> String {
    var text: Text?
    getBasic(iterator, &text)
    return text.map { String(cString: $0) } ?? ""
  }
}

// MARK: - Writing

extension LibDBus {
  /// Returns a message that the caller must free; `nil` if out of memory.
  func make(_ message: BusMessage) -> OpaquePointer? {
    guard let made = makeMessage(message.kind.rawValue) else { return nil }
    let texts = [
      (setDestination, message.destination), (setPath, message.path),
      (setInterface, message.interface), (setMember, message.member),
      (setErrorName, message.errorName),
    ]
    let isComplete =
      texts.allSatisfy { set, text in text.map { set(made, $0) != 0 } ?? true }
      && message.replySerial.map { setReplySerial(made, $0) != 0 } ?? true
      && withIterator { iterator in
        startWriting(made, iterator)
        return message.arguments.allSatisfy { add($0, to: iterator) }
      }
    if isComplete { return made }
    freeMessage(made)
    return nil
  }

  /// Appends a value; returns false if out of memory.
  private func add(_ value: BusValue, to iterator: Memory) -> Bool {
    switch value {
    case .byte(let number): add(number, TypeCode.byte, to: iterator)
    case .bool(let isTrue): add(DBusBool(isTrue ? 1 : 0), TypeCode.bool, to: iterator)
    case .int32(let number): add(number, TypeCode.int32, to: iterator)
    case .uint32(let number): add(number, TypeCode.uint32, to: iterator)
    case .string(let text): text.withCString { add($0, TypeCode.string, to: iterator) }
    case .strings(let texts):
      container(TypeCode.array, of: "s", in: iterator) { inner in
        texts.allSatisfy { add(.string($0), to: inner) }
      }
    case .dictionary(let members):
      container(TypeCode.array, of: "{sv}", in: iterator) { inner in
        members.sorted { $0.key < $1.key }.allSatisfy { addEntry($0, $1, to: inner) }
      }
    case .other: preconditionFailure("a value that was not read cannot be written")
    }
  }

  private func addEntry(_ name: String, _ value: BusValue, to iterator: Memory) -> Bool {
    container(TypeCode.entry, of: nil, in: iterator) { entry in
      add(.string(name), to: entry)
        && container(TypeCode.variant, of: value.signature, in: entry) { add(value, to: $0) }
    }
  }

  private func add<Value: BitwiseCopyable>(
    _ value: Value,
    _ type: Int32,
    to iterator: Memory
  ) -> Bool {
    withUnsafeBytes(of: value) { bytes in
      bytes.baseAddress.map { addBasic(iterator, type, $0) != 0 } ?? false
    }
  }

  private func container(
    _ type: Int32,
    of signature: String?,
    in iterator: Memory,
    _ body: (Memory) -> Bool
  ) -> Bool {
    withIterator { inner in
      func isOpened(_ signature: Text?) -> Bool {
        openContainer(iterator, type, signature, inner) != 0
      }
      let isOpen = signature.map { $0.withCString { isOpened($0) } } ?? isOpened(nil)
      // An open container must be closed even if its message is discarded.
      let isWritten = isOpen && body(inner)
      return isOpen && closeContainer(iterator, inner) != 0 && isWritten
    }
  }
}

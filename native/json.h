// Writes small JSON documents: what the addon hands over whole, for TypeScript to read.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace pibench::json {

inline std::string text(std::string_view value) {
  std::string quoted = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
      quoted += escaped;
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

// JSON has no infinity: null.
inline std::string number(double value) {
  if (!std::isfinite(value)) return "null";
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.17g", value);
  return digits;
}

// Members or items, one behind the other.
class Sequence {
 public:
  [[nodiscard]] std::string enclosed(char open, char close) const {
    std::string whole(1, open);
    whole += body_;
    whole += close;
    return whole;
  }

 protected:
  void append(std::string_view name, const std::string& raw) {
    if (!body_.empty()) body_ += ',';
    if (!name.empty()) {
      body_ += text(name);
      body_ += ':';
    }
    body_ += raw;
  }

 private:
  std::string body_;
};

class Object : public Sequence {
 public:
  Object& add(std::string_view name, const std::string& raw) {
    append(name, raw);
    return *this;
  }
  Object& set(std::string_view name, std::string_view value) { return add(name, text(value)); }
  Object& set(std::string_view name, const char* value) { return add(name, text(value)); }
  Object& set(std::string_view name, bool value) { return add(name, value ? "true" : "false"); }
  Object& set(std::string_view name, std::floating_point auto value) { return add(name, number(value)); }
  Object& set(std::string_view name, std::integral auto value) { return add(name, std::to_string(value)); }
  template <typename T>
  Object& set(std::string_view name, const std::optional<T>& value) {
    return value ? set(name, *value) : add(name, "null");
  }
  [[nodiscard]] std::string str() const { return enclosed('{', '}'); }
};

class Array : public Sequence {
 public:
  Array& add(const std::string& raw) {
    append("", raw);
    return *this;
  }
  [[nodiscard]] std::string str() const { return enclosed('[', ']'); }
};

}  // namespace pibench::json
